export { askLanguage, askName, type Dialog, NoAnswer } from "./ask.ts";
export { type LanguageName, languageNames } from "./language-names.ts";
export { missingPrograms } from "./missing-programs.ts";
export { type NameProblem, readName, type ToolNames } from "./read-name.ts";
export { type Files, type Origin, packageFiles, type Toolchain, toolchain, toolFiles, writeFiles } from "./scaffold.ts";
