export { pathAsMeant } from "@ikigai/system";
export { checkPath } from "./check-path.ts";
export { encodeText } from "./encode-text.ts";
export { failureFromErrno } from "./failure-from-errno.ts";
export { followLinks } from "./follow-links.ts";
export { checkRegularFile, openRegularFile, type RegularFile } from "./regular-file.ts";
export { describeBelow, describeHidden, describeMissing, quotePath, SearchGaps } from "./search-gaps.ts";
export { describeMost, districtOf, type Shares, shareOut } from "./share-out.ts";
export { describeDifference, describeNearest, foldLookalikes, readSpelling } from "./similar-text.ts";
