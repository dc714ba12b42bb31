import type { ShellWord } from "../shell/read-shell.ts";

/** The arguments with which a program is read-only. Anything not listed here needs a question. */
export interface CommandSpec {
  /** Short options in getopt notation: `n` takes no value, `A:` takes a value, `f@` takes a file name. */
  readonly short?: string;
  /**
   * Long options, separated by spaces: `name`, `name=` with a value, `name=@` with a file, `name=?` with one that is always attached
   * and may be missing, `name=$` with one that may be missing at the end.
   */
  readonly long?: string;
  /** Options that are a whole word after one dash, like `-delete`; separated by spaces. */
  readonly words?: string;
  /** Whether each short option is a word of its own. Only a number may be attached to it as a value. */
  readonly hasNoBundles?: boolean;
  /** Whether `-5` is an option. */
  readonly number?: boolean;
  /** Which operands are file names: all, none, all after the first, or all unless an option gave the pattern. */
  readonly operands: "paths" | "texts" | "pattern" | "program";
  /** Maximum number of operands. */
  readonly maxOperands?: number;
  /** Options that make the first operand of `pattern` or `program` a file name too. */
  readonly patternOptions?: readonly string[];
  /** Whether it walks directories; the working directory if none is named. */
  readonly isRecursive?: boolean;
  /** Whether it follows symlinks in those directories. */
  readonly followsLinks?: boolean;
  /** Whether every word is an operand, even if it looks like an option. */
  readonly hasNoOptions?: boolean;
  /** Returns why a call with allowed options is still not read-only. */
  readonly check?: (given: GivenArguments) => string | undefined;
  /** Options that are left out on purpose, and what they do. */
  readonly refused?: Readonly<Record<string, string>>;
}

/** The sorted arguments of a command. */
export interface GivenArguments {
  /** Each option with its dashes, and its value if it has one. */
  readonly options: readonly GivenOption[];
  readonly operands: readonly ShellWord[];
  /** The words that are file names. */
  readonly paths: readonly ShellWord[];
  /** The first operand of `program`, or the values of `patternOptions`. */
  readonly programs: readonly ShellWord[];
}

export interface GivenOption {
  readonly name: string;
  readonly value?: ShellWord;
  /** Whether the value is a word of its own. */
  readonly isSeparate?: boolean;
}
