export { escapeGlob, type GlobOptions, glob } from "./glob.ts";
export { matcher } from "./matcher.ts";
