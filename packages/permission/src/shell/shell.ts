// Reads a shell command: its simple commands, their words and redirections. What shells may read differently, or what only a running shell
// knows, is not read at all: nothing is then known about the command. First the commands, then their words, then what makes words uncertain.

import { isLinux, withoutEnd } from "@ikigai/system";

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

/** A redirection of a command. */
export interface Redirect {
  /** `<`, `>`, `>>`, `>|`, `<>`, `>&`, `<&`, `&>` or `&>>`. */
  readonly operator: string;
  readonly descriptor: number | undefined;
  readonly target: ShellWord;
}

/** Whether a redirection touches no file: discarded or merged output, empty input, a closed descriptor. */
export function isHarmlessRedirect({ operator, target }: Redirect): boolean {
  if (target.isPattern || target.isTilde) return false;
  if (operator === ">&" || operator === "<&") return /^(?:\d|-)$/.test(target.text);
  return target.text === "/dev/null";
}

/** Words that begin or end a compound command in shells that know them. Quoted, they would be commands. */
const reservedWords = new Set(
  "! { } [[ ]] if then else elif fi for while until do done case esac in select function time coproc".split(" "),
);

/** Whether a word in command position is a command's name, to every shell. */
export function canBeCommand(word: WordInText): boolean {
  if (word.isPattern || word.isTilde || word.text.includes("=")) return false;
  return !reservedWords.has(word.text) && !hasBraces(word);
}

/** Builtins of dash or bash after which, or in whose arguments, a name may have another meaning. */
const builtins = new Set(
  (
    "alias bind compgen complete compopt declare enable eval export fc getopts hash let local mapfile read readarray " +
    "readonly set shopt trap typeset unset"
  ).split(" "),
);

/** Builtins that evaluate array subscripts in their arguments, including substitutions: `[ -v 'a[$(…)]' ]`. */
const evaluators = new Set(["[", "test", "printf", "wait"]);

/** Settings that do not affect how words are read. */
const harmlessSetting = /^(?:[-+][eux]*o?|pipefail|errexit|nounset|xtrace)$/;

/** The format of bash's `printf` that sets the variable named by an argument, possibly `PATH`. */
const setsVariable = /%[^%a-zA-Z]*[hjlLqtzZ]*n/;

/** Whether `printf` may set a variable: by its option, its format, or a file name that expands to one of those. */
function printfSets([first, second]: readonly ShellWord[]): boolean {
  const format = first?.text === "--" ? second : first;
  if (format === undefined) return false;
  return format.text.startsWith("-v") || format.isPattern || setsVariable.test(format.text);
}

/** Whether a builtin changes what the shell runs for the words around it, or runs its arguments as text. */
export function changesMeaning(words: readonly ShellWord[]): boolean {
  const texts = words.map(({ text }) => text);
  // `command` and `builtin` can run a builtin too.
  const start = texts.findIndex(
    (text, index) => !/^(?:command|builtin)$/.test(text) && (index === 0 || !text.startsWith("-")),
  );
  const [name, ...operands] = start < 0 ? [] : texts.slice(start);
  if (name === undefined) return false;
  if (name === "set") return !operands.every((operand) => harmlessSetting.test(operand));
  if (!evaluators.has(name)) return builtins.has(name);
  if (name === "printf" && printfSets(words.slice(start + 1))) return true;
  if (name === "wait" && operands.some((operand) => /^-\w*p/.test(operand))) return true;
  return operands.some((operand) => operand.includes("[") && /[$`]/.test(operand));
}

/** One word of a command, as the program receives it. */
export interface ShellWord {
  /** After quote removal, before patterns and `~` are expanded. */
  readonly text: string;
  /** Has an unquoted `*`, `?` or `[`, so the shell may replace it with file names. */
  readonly isPattern: boolean;
  /** Has an unquoted `~` at its beginning or after `=` or `:`, so the shell may replace it with a home directory. */
  readonly isTilde: boolean;
  /** Part of it is quoted or escaped. */
  readonly isQuoted: boolean;
}

/** A word and its position. */
export interface WordInText extends ShellWord {
  /** The source text without line continuations. */
  readonly raw: string;
  /** The offset after the word. */
  readonly end: number;
  /** Whether a line continuation is inside or after it. */
  readonly isContinued: boolean;
}

interface Draft {
  text: string;
  raw: string;
  isPattern: boolean;
  isTilde: boolean;
  isQuoted: boolean;
  isContinued: boolean;
  hasBrace: boolean;
}

/** Characters that end an unquoted word. */
export const metacharacters: ReadonlySet<string> = new Set([" ", "\t", "\n", ";", "&", "|", "<", ">", "(", ")"]);

/** An unquoted `$` before one of these is a dollar sign. */
const afterPlainDollar = new Set(["", " ", "\t", "\n", ";", "&", "|", "/", ".", ",", ":", "%", "]"]);

/** A `$` in double quotes before one of these is a dollar sign; before a backslash too, unless that continues the line. */
const afterQuotedDollar = new Set([...afterPlainDollar, '"', "'", ")"]);

/** Characters without special meaning, quoted or not. */
const plainRun = /[^ \t\n;&|<>()'"\\`${}~*?[]+/y;

/** Characters that a backslash in double quotes escapes, except the newline. Before others it is literal. */
const escapedInQuotes = new Set(["$", "`", '"', "\\"]);

/** Reads the word at `start`; `undefined` if part of it is an expansion that only the shell knows. */
export function readWord(source: string, start: number): WordInText | undefined {
  const draft: Draft = {
    text: "",
    raw: "",
    isPattern: false,
    isTilde: false,
    isQuoted: false,
    isContinued: false,
    hasBrace: false,
  };
  let at = start;
  while (at < source.length && !metacharacters.has(source.charAt(at))) {
    const next = readPiece(source, at, draft);
    if (next === undefined) return undefined;
    at = next;
  }
  const { text, raw, isPattern, isTilde, isQuoted, isContinued, hasBrace } = draft;
  // Braces expand only with a comma or two dots.
  if (hasBrace && (text.includes(",") || text.includes(".."))) return undefined;
  // A bracket alone is the command, or literal.
  return { text, raw, isPattern: isPattern && raw !== "[", isTilde, isQuoted, isContinued, end: at };
}

/** Whether a command word, or the word before a redirection, has braces that only some shells expand. */
export function hasBraces({ raw }: WordInText): boolean {
  return raw.includes("{") || raw.includes("}");
}

/** Reads a quotation, an escape or one character; returns the offset after it. */
function readPiece(source: string, at: number, draft: Draft): number | undefined {
  plainRun.lastIndex = at;
  if (plainRun.test(source)) return keep(source, at, plainRun.lastIndex, draft);
  const character = source.charAt(at);
  switch (character) {
    case "'":
      return readSingleQuotes(source, at, draft);
    case '"':
      return readDoubleQuotes(source, at, draft);
    case "\\":
      return readEscape(source, at, draft);
    case "`":
      return undefined;
    case "$":
      if (isPlainDollar(source, at, afterPlainDollar)) break;
      return readVariable(source, at, draft);
    case "{":
    case "}":
      draft.hasBrace = true;
      break;
    case "~":
      if (draft.raw === "" || draft.raw.endsWith("=") || draft.raw.endsWith(":")) draft.isTilde = true;
      break;
    case "*":
    case "?":
    case "[":
      draft.isPattern = true;
      break;
  }
  return keep(source, at, at + 1, draft);
}

/** Adds a piece unchanged. */
function keep(source: string, start: number, end: number, draft: Draft): number {
  const piece = source.slice(start, end);
  draft.text += piece;
  draft.raw += piece;
  return end;
}

function readSingleQuotes(source: string, at: number, draft: Draft): number | undefined {
  const end = source.indexOf("'", at + 1);
  if (end < 0) return undefined;
  draft.isQuoted = true;
  draft.text += source.slice(at + 1, end);
  draft.raw += source.slice(at, end + 1);
  return end + 1;
}

function readDoubleQuotes(source: string, start: number, draft: Draft): number | undefined {
  draft.isQuoted = true;
  draft.raw += '"';
  for (let at = start + 1; at < source.length; at++) {
    const character = source.charAt(at);
    const next = source.charAt(at + 1);
    if (character === '"') {
      draft.raw += '"';
      return at + 1;
    }
    if (character === "`") return undefined;
    const document = character === "$" ? readHereDocument(source, at) : undefined;
    if (document !== undefined) {
      draft.text += document.text;
      draft.raw += source.slice(at, document.end);
      at = document.end - 1;
    } else if (character === "$" && !isPlainDollar(source, at, afterQuotedDollar)) {
      const end = readVariable(source, at, draft);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (character === "\\" && next === "\n") {
      draft.isContinued = true;
      at++;
    } else if (character === "\\" && escapedInQuotes.has(next)) {
      draft.text += next;
      draft.raw += character + next;
      at++;
    } else {
      draft.text += character;
      draft.raw += character;
    }
  }
  return undefined;
}

/** A text of several lines, as models write it: nothing in it is expanded. */
const hereDocument = /\$\(cat <<(?:'(\w+)'|"(\w+)")\n/y;

/** Reads `$(cat <<'END' … END)` in double quotes. Old versions of bash, as on macOS, take quotes and parentheses in it for their own. */
function readHereDocument(source: string, at: number): { readonly text: string; readonly end: number } | undefined {
  hereDocument.lastIndex = at;
  const [head, single, double] = hereDocument.exec(source) ?? [];
  if (head === undefined) return undefined;
  const last = `\n${single ?? double}\n`;
  const start = at + head.length;
  const end = source.indexOf(last, start - 1);
  if (end < start || source.charAt(end + last.length) !== ")") return undefined;
  const text = source.slice(start, end);
  const isPlain = isLinux || !/["'`$\\()]/.test(text);
  return isPlain ? { text: withoutEnd(text, "\n"), end: end + last.length + 1 } : undefined;
}

function readEscape(source: string, at: number, draft: Draft): number | undefined {
  const next = source.charAt(at + 1);
  if (next === "") return undefined;
  if (next === "\n") {
    draft.isContinued = true;
    return at + 2;
  }
  draft.isQuoted = true;
  draft.text += next;
  draft.raw += source.slice(at, at + 2);
  return at + 2;
}

/** Variables about which enough is known: a number, or the home directory, as `~` before a slash or the end of the word. */
const knownVariable = /\$(?:[?$]|(?:PPID|\{PPID\})(?!\w)|((?:HOME|\{HOME\})(?=\/|"?(?:[\s;&|<>()/]|$))))/y;

/** Reads a variable whose value no command can choose; `undefined` for others. The shell splits and matches it like a pattern or a `~`. */
function readVariable(source: string, at: number, draft: Draft): number | undefined {
  knownVariable.lastIndex = at;
  const [raw, home] = knownVariable.exec(source) ?? [];
  if (raw === undefined) return undefined;
  draft.raw += raw;
  draft.text += home ? "~" : "*";
  if (home) draft.isTilde = true;
  else draft.isPattern = true;
  return at + raw.length;
}

function isPlainDollar(source: string, at: number, followers: ReadonlySet<string>): boolean {
  const next = source.charAt(at + 1);
  if (next !== "\\") return followers.has(next);
  return source.charAt(at + 2) !== "\n";
}
