import { isLinux, withoutEnd } from "@ikigai/system";

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
