export { PatternError, type PatternErrorCode } from "./pattern-error.ts";
export { type CompileOptions, compile, type Regex } from "./regex.ts";
