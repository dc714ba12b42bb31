// Words and lines for people: the nearest word, lists, the line that says why a program failed, options, quoting, URLs without passwords, and
// what the system says about an error.
import { getSystemErrorMap, type ParseArgsConfig, parseArgs } from "node:util";

/** How much of a name may differ: a typo in a short name, word order or a few letters in a long one. */
const maxDifference = 1 / 3;

/** Longer than any tool's name; the rest of a longer one is not compared. */
const maxLength = 128;

/**
 * Returns the word closest to `word`, if one is close enough to be a likely typo.
 *
 * @param maxPart the fraction of the word that may differ, from 0 to 1.
 */
export function nearestWord(word: string, words: readonly string[], maxPart = maxDifference): string | undefined {
  const wanted = normalise(word.slice(0, maxLength));
  let nearest: string | undefined;
  let least = maxPart;
  for (const candidate of words) {
    const known = normalise(candidate);
    const length = Math.max(wanted.length, known.length);
    // Swapped words count as one edit: "read_file" is close to "file_read".
    const edits = Math.min(editDistance(wanted, known), 1 + editDistance(sortWords(wanted), sortWords(known)));
    if (edits / length <= least && (nearest === undefined || edits / length < least)) {
      nearest = candidate;
      least = edits / length;
    }
  }
  return nearest;
}

function normalise(name: string): string {
  return name
    .toLowerCase()
    .replaceAll("-", "_")
    .replace(/_tool$/, "");
}

function sortWords(name: string): string {
  return name.split("_").sort().join("_");
}

/** Edits (insert, delete, replace, swap neighbours) that turn one word into the other. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(last, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      const swapped = isSwap ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY;
      current.push(Math.min(at(last, column) + 1, at(current, column - 1) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return at(last, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

/** Lists names as alternatives: `a, b or c`. */
export function orList(names: readonly string[]): string {
  return names.join(", ").replace(/, ([^,]*)$/, " or $1");
}

/** The error name at the beginning of a line, as in stack traces of Python, Node, Java and Go. */
const errorLine = /^(?:[\w.:]*(?:Error|Exception)\b|panic:|fatal error:)/;

/** Lines that an interpreter prints after the error: the frames, the fields of an object, a trailer. The message comes before them. */
const afterError =
  /^(?:\s|[\])}]+$|Node\.js v\d|\(Use `node --trace|note: run with `RUST_BACKTRACE|goroutine \d|exit status \d)/;

/**
 * Returns the line of what a program printed on stderr that says why it failed, trimmed; `""` if it printed none.
 *
 * If the text ends in a stack trace, that is the last line that names an error (Node: in the middle). Otherwise it is the last
 * line of a program that had run for a while, or, of one that only printed why it failed, the first, which its help follows.
 *
 * @param otherwise which line of a text without a stack trace or an error's name.
 */
export function tellingLine(text: string, otherwise: "first" | "last" = "first"): string {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  const end = lines.findLastIndex((line) => !afterError.test(line));
  const named = lines.slice(0, end + 1).findLast((line) => errorLine.test(line));
  const isTrace = end < lines.length - 1;
  const plain = isTrace || otherwise === "last" ? lines[end] : lines[0];
  const line = isTrace || otherwise === "first" ? (named ?? plain) : plain;
  return (line ?? lines.at(-1) ?? "").trim();
}

/**
 * Describes what is wrong with the options of a command line: an unknown one, a missing value, a value where none is allowed.
 * Without a problem, `parseArgs` accepts the same arguments.
 */
export function optionProblem(
  args: readonly string[],
  options: NonNullable<ParseArgsConfig["options"]>,
): string | undefined {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { name, rawName, value, inlineValue } = token;
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (option === undefined) return `Unknown option ${JSON.stringify(rawName)}. Known: ${known(options)}.`;
    if (option.type === "boolean") {
      if (value !== undefined) return `${rawName} takes no value, got ${JSON.stringify(value)}.`;
    } else if (value === undefined) return `Missing the value of ${rawName}.`;
    // Node takes any next word as the value. One that looks like an option means that the value is missing.
    else if (!inlineValue && /^-./.test(value)) return `Missing the value of ${rawName}, got ${value}.`;
  }
  return undefined;
}

function known(options: object): string {
  return Object.keys(options)
    .map((name) => `--${name}`)
    .join(", ");
}

/** Quotes a text as one word of a POSIX shell command line, if needed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Removes these characters from the end of a text, however many there are. An expression like `/\n+$/` takes time that grows with
 * the square of a run of them in the middle.
 *
 * @param ends single UTF-16 units
 */
export function withoutEnd(text: string, ends: string): string {
  let end = text.length;
  while (end > 0 && ends.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** The text of bytes, given as a string of one character each (`latin1`), such as the name of a file as git prints it. */
export function utf8Text(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}

/**
 * Removes passwords and tokens from the URLs in a text, or from a single URL, for display and storage. However malformed a URL
 * is, nothing before its last `@` is shown. The user of ssh stays, since it is part of the address (`git@host`).
 */
export function withoutPassword(text: string): string {
  const clean = text.replace(/([a-z][a-z0-9+.-]*:\/\/)(\S*)/gi, (_, scheme: string, rest: string) =>
    strip(scheme, rest),
  );
  // A proxy may be given without a scheme.
  return clean === text && !text.includes("://") ? text.replace(/^[^\s@]*:\S*@/, "") : clean;
}

function strip(scheme: string, rest: string): string {
  const [authority = ""] = /^[^/?#]*/.exec(rest) ?? [];
  const at = authority.lastIndexOf("@");
  if (at >= 0) {
    const [name = ""] = authority.split(/[:@]/, 1);
    const user = /^(git\+)?ssh:/i.test(scheme) && name !== "" ? `${name}@` : "";
    return scheme + user + rest.slice(at + 1);
  }
  // A password with a slash: the intended host follows the last @.
  return scheme + (URL.canParse(scheme + rest) ? rest : rest.slice(rest.lastIndexOf("@") + 1));
}

const reasons: Readonly<Record<string, string>> = {
  E2BIG: "its arguments and environment are larger than the system allows",
  EAGAIN: "the system cannot start more processes now",
  ELOOP: "too many levels of symbolic links",
  EMFILE: "too many open files",
  ENFILE: "too many open files in the whole system",
  ENOMEM: "out of memory",
  ERR_INVALID_ARG_VALUE: "its path, arguments or environment contain a NUL character",
  ETXTBSY: "the file is open for writing",
};

/** A readable number of tokens: `940`, `41 k`, `1.2 M`. */
export function tokenCount(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 999_500 ? `${Math.round(tokens / 1_000)} k` : `${(tokens / 1_000_000).toFixed(1)} M`;
}

/** Returns a readable reason for a system error. */
export function systemReason(error: NodeJS.ErrnoException): string {
  const { code = "", errno } = error;
  return reasons[code] ?? getSystemErrorMap().get(errno ?? 0)?.[1] ?? error.message;
}
