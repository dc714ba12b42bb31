export { describeBelow, describeHidden } from "./describe-below.ts";
export { describeMissing } from "./describe-missing.ts";
export { isOfMachine } from "./directory.ts";
export { BraceLimitError, expandBraces, maxAlternatives } from "./expand-braces.ts";
export { type DirectoryVisit, escapeGlob, type GlobOptions, glob } from "./glob.ts";
export { matcher } from "./matcher.ts";
export type { Ignores } from "./search-directory.ts";
export { quotePath, SearchGaps } from "./search-gaps.ts";
