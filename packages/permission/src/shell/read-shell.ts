import { changesMeaning } from "./changes-meaning.ts";
import { canBeCommand } from "./command-word.ts";
import { hasBraces, metacharacters, readWord, type ShellWord, type WordInText } from "./read-word.ts";
import { isHarmlessRedirect, type Redirect } from "./redirect.ts";

export type { ShellWord } from "./read-word.ts";
export type { Redirect } from "./redirect.ts";

/** The separator between a command and the previous one. */
export type Separator = "" | ";" | "&" | "&&" | "||" | "|" | "\n";

/** One program or builtin that a shell would start. Without words it only opens its redirection targets. */
export interface SimpleCommand {
  readonly words: readonly ShellWord[];
  readonly redirects: readonly Redirect[];
  /** The source text without harmless redirections and line continuations, with one space between words. */
  readonly source: string;
  readonly before: Separator;
}

/** Longest command that is parsed, in UTF-16 code units: the length in bytes that Linux allows for one argument. */
export const maxCommandLength = 131_072;

/** Maximum number of commands in a command line that is parsed. */
export const maxCommands = 1_000;

/** Control characters, which shells treat differently, and half surrogate pairs, which no shell receives unchanged. */
const unreadable = /[^\P{Cc}\t\n]|\p{Cs}/u;

interface State {
  readonly source: string;
  readonly commands: SimpleCommand[];
  words: WordInText[];
  redirects: Redirect[];
  pieces: string[];
  before: Separator;
}

/**
 * Parses the commands that a shell (dash, bash, bash as sh) would run for a text. `undefined` if that is uncertain:
 * expansions, substitutions, here-documents, groups, keywords, assignments, control characters, anything that shells read
 * differently, and texts beyond the limits. Takes linear time.
 */
export function readShell(command: string): readonly SimpleCommand[] | undefined {
  if (command.length > maxCommandLength || unreadable.test(command)) return undefined;
  const state: State = { source: command, commands: [], words: [], redirects: [], pieces: [], before: "" };
  let at = 0;
  while (at < command.length) {
    const next = readToken(state, at);
    if (next === undefined || state.commands.length > maxCommands) return undefined;
    at = next;
  }
  if (isEmpty(state)) return wantsCommand(state) ? undefined : state.commands;
  return endCommand(state, "") && state.commands.length <= maxCommands ? state.commands : undefined;
}

/** Reads the token at `at`; returns the offset after it. */
function readToken(state: State, at: number): number | undefined {
  const { source } = state;
  switch (source.charAt(at)) {
    case " ":
    case "\t":
      return at + 1;
    case "#":
      return commentEnd(source, at);
    case "\n":
      return readNewline(state, at);
    case ";":
      return endCommand(state, ";") ? at + 1 : undefined;
    case "&":
      return readAmpersand(state, at);
    case "|":
      return readPipe(state, at);
    case "<":
    case ">":
      return readRedirect(state, at, at, undefined);
    case "(":
    case ")":
      return undefined;
    default:
      return isContinuation(source, at) ? continuationEnd(source, at) : readArgument(state, at);
  }
}

function commentEnd(source: string, at: number): number {
  const end = source.indexOf("\n", at);
  return end < 0 ? source.length : end;
}

function readNewline(state: State, at: number): number | undefined {
  // A separator before an empty line still precedes the next command.
  return isEmpty(state) || endCommand(state, "\n") ? at + 1 : undefined;
}

function readAmpersand(state: State, at: number): number | undefined {
  const { source } = state;
  const next = source.charAt(at + 1);
  if (next === "&") return endCommand(state, "&&") ? at + 2 : undefined;
  if (next !== ">") return endCommand(state, "&") ? at + 1 : undefined;
  if (isEmpty(state)) return undefined;
  // Some shells read `&` and a separate redirection, and a command after it.
  const end = readRedirect(state, at, at, undefined);
  if (end === undefined) return undefined;
  const rest = /[ \t]*/y;
  rest.lastIndex = end;
  rest.test(source);
  return ["", "\n", ";", "&", "|", "#"].includes(source.charAt(rest.lastIndex)) ? end : undefined;
}

function readPipe(state: State, at: number): number | undefined {
  const next = state.source.charAt(at + 1);
  if (next === "|") return endCommand(state, "||") ? at + 2 : undefined;
  return next !== "&" && endCommand(state, "|") ? at + 1 : undefined;
}

function isContinuation(source: string, at: number): boolean {
  return source.startsWith("\\\n", at);
}

/** Returns the offset after line continuations; `undefined` between two operators, which old shells do not join. */
function continuationEnd(source: string, start: number): number | undefined {
  let at = start;
  while (isContinuation(source, at)) at += 2;
  const isOperator = (character: string) => character !== "" && ";&|<>".includes(character);
  return isOperator(source.charAt(start - 1)) && isOperator(source.charAt(at)) ? undefined : at;
}

/** Reads a word of a command, or the descriptor of a redirection. */
function readArgument(state: State, at: number): number | undefined {
  const word = readWord(state.source, at);
  if (word === undefined) return undefined;
  if (isBeforeRedirect(state.source, word)) {
    // Some shells also read several digits, or a name in braces, as a descriptor.
    if (/^\d$/.test(word.raw) && !word.isContinued) return readRedirect(state, at, word.end, Number(word.raw));
    if (/^\d*$/.test(word.raw) || hasBraces(word)) return undefined;
  }
  if (state.words.length === 0 && !canBeCommand(word)) return undefined;
  state.words.push(word);
  state.pieces.push(word.raw);
  return word.end;
}

function isBeforeRedirect(source: string, { end }: WordInText): boolean {
  return source.charAt(end) === "<" || source.charAt(end) === ">";
}

/** Reads a redirection that begins at `start` and has its operator at `at`. */
function readRedirect(state: State, start: number, at: number, descriptor: number | undefined): number | undefined {
  const { source } = state;
  const sign = /&>>?|<[>&]?|>[>&|]?/y;
  sign.lastIndex = at;
  const [operator = ""] = sign.exec(source) ?? [];
  let from = at + operator.length;
  while (source.charAt(from) === " " || source.charAt(from) === "\t" || isContinuation(source, from)) {
    from += isContinuation(source, from) ? 2 : 1;
  }
  const first = source.charAt(from);
  if (first === "" || first === "#" || metacharacters.has(first)) return undefined;
  const target = readWord(source, from);
  if (target === undefined || (isBeforeRedirect(source, target) && /^\d*$/.test(target.raw))) return undefined;
  // In bash, a new word begins after `>&-`.
  if (operator.endsWith("&") && target.raw.startsWith("-") && target.raw !== "-") return undefined;
  const redirect = { operator, descriptor, target: wordOf(target) };
  state.redirects.push(redirect);
  if (!isHarmlessRedirect(redirect)) state.pieces.push(source.slice(start, target.end));
  return target.end;
}

function isEmpty({ words, redirects }: State): boolean {
  return words.length === 0 && redirects.length === 0;
}

/** Whether a command must follow. */
function wantsCommand({ before }: State): boolean {
  return before === "&&" || before === "||" || before === "|";
}

/** Ends a command at a separator; false without one, or if it makes the rest uncertain. */
function endCommand(state: State, separator: Separator): boolean {
  if (isEmpty(state)) return false;
  const words = state.words.map(wordOf);
  if (changesMeaning(words)) return false;
  state.commands.push({ words, redirects: state.redirects, source: state.pieces.join(" "), before: state.before });
  state.words = [];
  state.redirects = [];
  state.pieces = [];
  state.before = separator;
  return true;
}

function wordOf({ text, isPattern, isTilde, isQuoted }: WordInText): ShellWord {
  return { text, isPattern, isTilde, isQuoted };
}
