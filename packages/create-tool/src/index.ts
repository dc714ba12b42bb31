export { askLanguage, askName, type Dialog, missingPrograms, NoAnswer } from "./ask.ts";
export { type LanguageName, languageNames, type NameProblem, readName, type ToolNames } from "./names.ts";
export { type Files, type Origin, packageFiles, type Toolchain, toolchain, toolFiles, writeFiles } from "./scaffold.ts";
