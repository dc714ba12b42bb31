// For tools that work with files: paths and opening them, what a search could not see, and texts for a model.

export { pathAsMeant } from "@ikigai/system";
export {
  checkPath,
  checkRegularFile,
  failureFromErrno,
  followLinks,
  openForTool,
  type RegularFile,
} from "./files.ts";
export { describeBelow, describeHidden, describeMissing, quotePath, SearchGaps } from "./search-gaps.ts";
export {
  describeDifference,
  describeMost,
  describeNearest,
  districtOf,
  encodeText,
  foldLookalikes,
  readSpelling,
  type Shares,
  shareOut,
} from "./text.ts";
