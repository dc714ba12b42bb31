// For `ikigai tool new`: the questions, the names, and the files of a tool or a package.

export { askLanguage, askName, type Dialog, missingPrograms, NoAnswer } from "./ask.ts";
export { type LanguageName, languageNames, type NameProblem, readName, type ToolNames } from "./names.ts";
export { type Files, type Origin, packageFiles, type Toolchain, toolchain, toolFiles, writeFiles } from "./scaffold.ts";
