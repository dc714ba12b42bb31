import type { ShellWord } from "../shell/read-shell.ts";
import type { CommandSpec, GivenArguments, GivenOption } from "./command-spec.ts";

type ValueKind = "none" | "text" | "path" | "optional" | "last";

/** What begins with a dash and is a value wherever it stands: the input, or a number. */
const harmlessDash = /^-\d*$/;

/**
 * Sorts the words after a program's name in both ways that programs do: most accept options after an operand; others, and on
 * some systems or with `POSIXLY_CORRECT` all of them, treat everything after the first operand as operands. Returns a text
 * if a word is not known to be read-only.
 */
export function sortBothWays(spec: CommandSpec, words: readonly ShellWord[]): readonly GivenArguments[] | string {
  const anywhere = sortArguments(spec, words);
  if (typeof anywhere === "string") return anywhere;
  const inFront = sortArguments(spec, words, true);
  if (typeof inFront === "string") return inFront;
  return inFront.operands.length === anywhere.operands.length ? [anywhere] : [anywhere, inFront];
}

/** Sorts the words after a command's name; returns a text if one of them is not known to be read-only. */
export function sortArguments(
  spec: CommandSpec,
  words: readonly ShellWord[],
  onlyInFront = false,
): GivenArguments | string {
  const options: GivenOption[] = [];
  const operands: ShellWord[] = [];
  const paths: ShellWord[] = [];
  let index = 0;
  const take = (name: string, kind: ValueKind, attached: string | undefined): string | undefined => {
    const isMissing = kind === "optional" || (kind === "last" && index >= words.length);
    if (kind === "none" || (isMissing && attached === undefined)) {
      if (attached !== undefined) return `${name} takes no value`;
      options.push({ name });
      return undefined;
    }
    const value = attached === undefined ? words[index++] : literal(attached);
    if (value === undefined) return `${name} needs a value`;
    // The first name it expands to is the value; the others become operands, such as a program or a new branch.
    if (value.isPattern) return `${value.text} may expand to several words`;
    const isSeparate = attached === undefined;
    // Another version of the program may read it as an option, because it takes only values that are attached, or none.
    if (isSeparate && value.text.startsWith("-") && !harmlessDash.test(value.text)) {
      return `${value.text} may be an option`;
    }
    options.push({ name, value, isSeparate });
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
  // A pattern may expand to any file name. It is never judged by its text: only a value that is not judged may have one.
  const isValue = text.startsWith("--") && equals > 0 && equals < text.search(/[*?[]/);
  const isJudged = spec.check !== undefined || spec.operands === "program";
  if (word.isPattern && (!isValue || isJudged)) return `${text} may expand to options`;
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
  if (spec.hasNoBundles && !/^-.\d*$/.test(text)) return `${text} may be read in several ways`;
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

/** Whether a short option of a program takes a value. */
export function takesValue(spec: CommandSpec, letter: string): boolean {
  return (shortKind(spec, letter) ?? "none") !== "none";
}

const longMarks: Readonly<Record<string, ValueKind>> = {
  "": "none",
  "=": "text",
  "=@": "path",
  "=?": "optional",
  "=$": "last",
};

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

/** Whether the shell may replace the word with file names. */
function mayExpand({ isPattern, isTilde }: ShellWord): boolean {
  return isPattern || isTilde;
}

/** A value attached to an option: a pattern in it was rejected, or is a value whose text does not matter. */
function literal(text: string): ShellWord {
  return { text, isPattern: false, isTilde: text.startsWith("~"), isQuoted: false };
}
