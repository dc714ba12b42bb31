export { type LanguageName, languageNames } from "./language-names.ts";
export { readName, type ToolNames } from "./read-name.ts";
export { type Files, packageFiles, type Toolchain, toolchain, toolFiles, writeFiles } from "./scaffold.ts";
