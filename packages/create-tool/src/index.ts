export { packageFiles } from "./package-files.ts";
export { readName, type ToolPackageName } from "./read-name.ts";
