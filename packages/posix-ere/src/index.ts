export type { FindLiteral, FindLiterals } from "./find-literals.ts";
export { PatternError, type PatternErrorCode } from "./pattern-error.ts";
export { type CompileOptions, compile, type Regex } from "./regex.ts";
