/** Why a pattern is invalid, by POSIX's names. */
export type PatternErrorCode = keyof typeof texts;

/** The messages of glibc's `regerror`. */
const texts = {
  REG_BADPAT: "Invalid regular expression",
  REG_ECOLLATE: "Invalid collation character",
  REG_ECTYPE: "Invalid character class name",
  REG_EESCAPE: "Trailing backslash",
  REG_ESUBREG: "Invalid back reference",
  REG_EBRACK: "Unmatched [, [^, [:, [., or [=",
  REG_EPAREN: "Unmatched ( or \\(",
  REG_EBRACE: "Unmatched \\{",
  REG_BADBR: "Invalid content of \\{\\}",
  REG_ERANGE: "Invalid range end",
  REG_ESPACE: "Memory exhausted",
  REG_BADRPT: "Invalid preceding regular expression",
  REG_ESIZE: "Regular expression too big",
} as const;

/** Thrown by `compile` for an invalid pattern, with glibc's message and POSIX's code. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  readonly code: PatternErrorCode;

  constructor(code: PatternErrorCode) {
    super(texts[code]);
    this.code = code;
  }
}
