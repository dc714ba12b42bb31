export { BraceLimitError, expandBraces, maxAlternatives } from "./expand-braces.ts";
export { type DirectoryVisit, escapeGlob, type GlobOptions, glob } from "./glob.ts";
export { matcher } from "./matcher.ts";
