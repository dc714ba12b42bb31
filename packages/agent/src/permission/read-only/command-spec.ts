import type { ShellWord } from "../shell/read-shell.ts";

/** What a program may be given so that it only reads. What is not named here is asked about. */
export interface CommandSpec {
  /** Short options as getopt has them: `n` stands alone, `A:` takes a value, `f@` takes the name of a file. */
  readonly short?: string;
  /** Long options, separated by spaces: `name`, `name=` with a value, `name=@` with a file, `name=?` with an optional value. */
  readonly long?: string;
  /** Options that the program's manual writes with one dash and a whole word, as `-delete`; separated by spaces. */
  readonly words?: string;
  /** Whether `-5` is an option. */
  readonly number?: boolean;
  /** Which operands name files: all, none, all behind the first, or all unless an option gave the pattern. */
  readonly operands: "paths" | "texts" | "pattern" | "program";
  /** How many operands there may be. */
  readonly maxOperands?: number;
  /** Options after which the first operand of `pattern` or `program` is a file as well. */
  readonly patternOptions?: readonly string[];
  /** Whether it goes through directories, the working directory if none is named. */
  readonly isRecursive?: boolean;
  /** Whether it reads what links in those directories lead to. */
  readonly followsLinks?: boolean;
  /** Whether every word is an operand, also what looks like an option. */
  readonly hasNoOptions?: boolean;
  /** Why a call that keeps to the options is still more than reading. */
  readonly check?: (given: GivenArguments) => string | undefined;
  /** Options that are missing above on purpose, and what they would do. */
  readonly refused?: Readonly<Record<string, string>>;
}

/** The arguments of a command, sorted. */
export interface GivenArguments {
  /** Each option with its dashes, and its value if it has one. */
  readonly options: readonly { readonly name: string; readonly value?: ShellWord }[];
  readonly operands: readonly ShellWord[];
  /** The words that name files. */
  readonly paths: readonly ShellWord[];
  /** The first operand of `program`, or the values of `patternOptions`. */
  readonly programs: readonly ShellWord[];
}

type ValueKind = "none" | "text" | "path" | "optional";

/**
 * The two ways in which programs sort the words behind their name: most take options behind an operand too, the others, and all of
 * them on some systems or with `POSIXLY_CORRECT`, take everything behind the first operand for operands. A text says which word is not
 * known to only read.
 */
export function sortBothWays(spec: CommandSpec, words: readonly ShellWord[]): readonly GivenArguments[] | string {
  const anywhere = sortArguments(spec, words);
  if (typeof anywhere === "string") return anywhere;
  const inFront = sortArguments(spec, words, true);
  if (typeof inFront === "string") return inFront;
  return inFront.operands.length === anywhere.operands.length ? [anywhere] : [anywhere, inFront];
}

/** Sorts the words behind a command's name; a text says which of them is not known to be read-only. */
export function sortArguments(
  spec: CommandSpec,
  words: readonly ShellWord[],
  onlyInFront = false,
): GivenArguments | string {
  const options: { name: string; value?: ShellWord }[] = [];
  const operands: ShellWord[] = [];
  const paths: ShellWord[] = [];
  let index = 0;
  const take = (name: string, kind: ValueKind, attached: string | undefined): string | undefined => {
    if (kind === "none" || (kind === "optional" && attached === undefined)) {
      if (attached !== undefined) return `${name} takes no value`;
      options.push({ name });
      return undefined;
    }
    const value = attached === undefined ? words[index++] : literal(attached);
    if (value === undefined) return `${name} needs a value`;
    // The first name it becomes is the value; the others are operands, a program or a new branch among them.
    if (value.isPattern) return `${value.text} may expand to several words`;
    options.push({ name, value });
    if (kind === "path" || value.isTilde) paths.push(value);
    return undefined;
  };
  while (index < words.length) {
    const word = words[index++] as ShellWord;
    if (word.text === "--" && !spec.hasNoOptions && !(onlyInFront && operands.length > 0)) {
      operands.push(...words.slice(index));
      break;
    }
    const isBehind = onlyInFront && operands.length > 0;
    if (isBehind || spec.hasNoOptions || !word.text.startsWith("-") || word.text === "-") {
      operands.push(word);
      continue;
    }
    const problem = takeOption(spec, word, take);
    if (problem !== undefined) return problem;
  }
  return withOperands(spec, { options, operands, paths });
}

type Take = (name: string, kind: ValueKind, attached: string | undefined) => string | undefined;

function takeOption(spec: CommandSpec, word: ShellWord, take: Take): string | undefined {
  const { text } = word;
  const equals = text.indexOf("=");
  // A pattern may become any file name, which then is read as an option or splits it in two.
  if (word.isPattern && !(text.startsWith("--") && equals > 0 && equals < text.search(/[*?[]/))) {
    return `${text} may expand to options`;
  }
  if (spec.number && /^-\d+$/.test(text)) return take(text, "none", undefined);
  if (!text.startsWith("--")) {
    if (spec.words?.split(" ").includes(text)) return take(text, "none", undefined);
    return takeLetters(spec, text, take);
  }
  const name = equals < 0 ? text : text.slice(0, equals);
  const kind = longKind(spec, name.slice(2));
  if (kind === undefined) return `${name} is not known to be read-only`;
  if (kind === "path" && word.isPattern) return `${text} may expand to another file`;
  return take(name, kind, equals < 0 ? undefined : text.slice(equals + 1));
}

function takeLetters(spec: CommandSpec, text: string, take: Take): string | undefined {
  for (let at = 1; at < text.length; at++) {
    const letter = text.charAt(at);
    const kind = shortKind(spec, letter);
    if (kind === undefined) return `-${letter} is not known to be read-only`;
    if (kind !== "none") return take(`-${letter}`, kind, text.slice(at + 1) || undefined);
    take(`-${letter}`, "none", undefined);
  }
  return undefined;
}

function shortKind({ short = "" }: CommandSpec, letter: string): ValueKind | undefined {
  const at = /[\w#]/.test(letter) ? short.indexOf(letter) : -1;
  if (at < 0) return undefined;
  const mark = short.charAt(at + 1);
  return mark === ":" ? "text" : mark === "@" ? "path" : mark === "?" ? "optional" : "none";
}

const longMarks: Readonly<Record<string, ValueKind>> = { "": "none", "=": "text", "=@": "path", "=?": "optional" };

function longKind({ long = "" }: CommandSpec, name: string): ValueKind | undefined {
  const entry = long.split(" ").find((one) => one === name || one.startsWith(`${name}=`));
  return entry === undefined || name === "" ? undefined : longMarks[entry.slice(name.length)];
}

function withOperands(
  spec: CommandSpec,
  { options, operands, paths }: Omit<GivenArguments, "programs">,
): GivenArguments | string {
  const { operands: meaning, maxOperands, patternOptions = [] } = spec;
  if (maxOperands !== undefined) {
    if (operands.length > maxOperands) return "it has too many operands";
    if (operands.some(({ isPattern }) => isPattern)) return "it may get too many operands";
  }
  const named = options.filter(({ name }) => patternOptions.includes(name));
  const isFirstText = (meaning === "pattern" || meaning === "program") && named.length === 0;
  const files =
    meaning === "texts"
      ? operands.filter(mayExpand)
      : operands.filter((word, at) => !isFirstText || at > 0 || mayExpand(word));
  const programs =
    meaning !== "program" ? [] : isFirstText ? operands.slice(0, 1) : named.flatMap(({ value }) => value ?? []);
  if (programs.some(mayExpand)) return "its program may expand to another one";
  return { options, operands, paths: [...paths, ...files], programs };
}

/** Whether the shell may put names of files in the word's place. */
function mayExpand({ isPattern, isTilde }: ShellWord): boolean {
  return isPattern || isTilde;
}

/** What is attached to an option: a pattern in it was refused, or begins behind its `=`, where a shell matches it as a whole. */
function literal(text: string): ShellWord {
  return { text, isPattern: false, isTilde: text.startsWith("~"), isQuoted: false };
}
