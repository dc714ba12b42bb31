// The front matter of Markdown files, and the part of YAML that it is written in.

/** A value in front matter. Every scalar is a string, as written: `true` and `1.10` are text. */
export type FrontMatterValue = string | readonly FrontMatterValue[] | { readonly [key: string]: FrontMatterValue };

/** The values in front matter, by key. */
export type FrontMatterFields = Readonly<Record<string, FrontMatterValue>>;

/** A Markdown file and what it says about itself. */
export interface FrontMatter {
  readonly fields: FrontMatterFields;
  /** The text after the front matter. */
  readonly body: string;
}

/** Longer front matter is refused, in characters: it is read to list files, and a parser's work can grow faster than its input. */
export const maxFrontMatterLength = 16_384;

/** The lines between two `---` at the top of a text, and the text after them; `undefined` if it has no such lines. */
export function splitFrontMatter(text: string): { readonly block: string; readonly body: string } | undefined {
  const whole = text.startsWith("\ufeff") ? text.slice(1) : text;
  const opening = /^---[ \t]*\r?\n/.exec(whole)?.[0];
  if (opening === undefined) return undefined;
  const rest = whole.slice(opening.length);
  const closing = /(?:^|\n)---[ \t]*(?:\r?\n|$)/.exec(rest);
  if (!closing) return undefined;
  const block = rest.slice(0, closing.index).replaceAll("\r\n", "\n").replace(/\r$/, "");
  return { block, body: rest.slice(closing.index + closing[0].length) };
}

/** The lines of a block and the next one to read. */
interface Lines {
  readonly lines: readonly string[];
  next: number;
}

/** Thrown for anything outside of the subset. */
class NotSimple extends Error {
  override readonly name = "NotSimple";
}

/**
 * Reads the part of YAML that front matter is written in: keys at the start of a line with text, quoted text, block text, a list of
 * words, or keys with text one level below. Returns `undefined` for everything else, which a whole parser must read.
 *
 * Where YAML accepts a text, both agree. A colon within unquoted text, which YAML refuses, is text here: many files have it.
 */
export function readSimpleYaml(block: string): FrontMatterFields | undefined {
  const reader: Lines = { lines: block.split("\n"), next: 0 };
  try {
    return readKeys(reader, 0);
  } catch (error) {
    if (error instanceof NotSimple) return undefined;
    throw error;
  }
}

function readKeys(reader: Lines, indent: number): Record<string, FrontMatterValue> {
  const fields = new Map<string, FrontMatterValue>();
  for (let line = peek(reader); line !== undefined && indentOf(line) >= indent; line = peek(reader)) {
    const [, key, value = ""] = /^([A-Za-z_][\w-]*):(?:[ ]+(.*))?$/.exec(line.slice(indent).trimEnd()) ?? [];
    if (key === undefined || fields.has(key)) throw new NotSimple();
    reader.next++;
    fields.set(key, readValue(reader, value, indent));
  }
  return Object.fromEntries(fields);
}

/** The next line with content. */
function peek(reader: Lines): string | undefined {
  while (/^ *(?:#.*)?$/.test(reader.lines[reader.next] ?? "x")) reader.next++;
  return reader.lines[reader.next];
}

function indentOf(line: string): number {
  return line.length - line.replace(/^ +/, "").length;
}

function readValue(reader: Lines, value: string, indent: number): FrontMatterValue {
  if (value === "") return readBelow(reader, indent);
  if (/^[|>]/.test(value)) return readBlock(reader, value, indent);
  const [last] = value.slice(-1);
  if (value.startsWith('"') && last === '"') return alone(reader, indent, doubleQuoted(value));
  if (value.startsWith("'") && last === "'") return alone(reader, indent, singleQuoted(value));
  if (value.startsWith("[") && last === "]") return alone(reader, indent, words(value));
  return readPlain(reader, value, indent);
}

/** What follows a key without a value. */
function readBelow(reader: Lines, indent: number): FrontMatterValue {
  const line = peek(reader) ?? "";
  const below = indentOf(line);
  if (/^ *- /.test(line) && below >= indent) return readList(reader, below);
  if (below <= indent) return "";
  if (indent > 0) throw new NotSimple();
  return readKeys(reader, below);
}

function readList(reader: Lines, indent: number): string[] {
  const items: string[] = [];
  for (let line = peek(reader); line?.startsWith(`${" ".repeat(indent)}- `); line = peek(reader)) {
    reader.next++;
    items.push(plain(line.slice(indent + 2).trim()));
    if (items.at(-1)?.includes(":")) throw new NotSimple();
  }
  if (indentOf(peek(reader) ?? "") > indent) throw new NotSimple();
  return items;
}

/** Text on one line: the next line must not continue it. */
function alone<Value>(reader: Lines, indent: number, value: Value): Value {
  if (indentOf(peek(reader) ?? "") > indent) throw new NotSimple();
  return value;
}

function doubleQuoted(value: string): string {
  // The escapes that JSON shares with YAML.
  if (!/^"(?:[^"\\]|\\(?:["\\/bfnrt]|u(?!d[89a-f])[0-9a-f]{4}))*"$/i.test(value)) throw new NotSimple();
  return JSON.parse(value.replaceAll("\t", "\\t"));
}

function singleQuoted(value: string): string {
  const inner = value.slice(1, -1);
  if (value.length < 2 || inner.replaceAll("''", "").includes("'")) throw new NotSimple();
  return inner.replaceAll("''", "'");
}

function words(value: string): string[] {
  const inner = value.slice(1, -1).trim();
  if (inner === "") return [];
  const items = inner.split(",").map((item) => item.trim());
  if (!items.every((item) => /^[A-Za-z0-9_.][\w. /*-]*$/.test(item))) throw new NotSimple();
  return items;
}

/** Unquoted text, which may continue on deeper lines. */
function readPlain(reader: Lines, first: string, indent: number): string {
  const parts = [plain(first)];
  for (;;) {
    const line = reader.lines[reader.next];
    if (line === undefined || line.trim() === "" || indentOf(line) <= indent) break;
    if (/^\s*[#-]/.test(line)) throw new NotSimple();
    parts.push(plain(line.trim()));
    reader.next++;
  }
  if (indentOf(peek(reader) ?? "") > indent) throw new NotSimple();
  return parts.join(" ");
}

/** Checks that unquoted text has no other meaning in YAML than itself. */
function plain(text: string): string {
  if (/^[-?:,[\]{}#&*!|>'"%@`]|\s#|\t|^---|^\.\.\./.test(text)) throw new NotSimple();
  return text;
}

/** Text below `|` or `>`. */
function readBlock(reader: Lines, header: string, indent: number): string {
  const [, style, chomping] = /^([|>])(-?)$/.exec(header) ?? [];
  if (style === undefined) throw new NotSimple();
  const lines: string[] = [];
  for (;;) {
    const line = reader.lines[reader.next];
    if (line === undefined || (line.trim() !== "" && indentOf(line) <= indent)) break;
    lines.push(line);
    reader.next++;
  }
  const depth = indentOf(lines.find((line) => line.trim() !== "") ?? "");
  if (depth === 0 || !lines.every((line) => line === "" || (line.trim() !== "" && indentOf(line) >= depth))) {
    throw new NotSimple();
  }
  const own = lines.map((line) => line.slice(depth));
  const end = own.findLastIndex((line) => line !== "") + 1;
  const text = style === "|" ? own.slice(0, end).join("\n") : folded(own.slice(0, end));
  return chomping === "-" ? text : `${text}\n`;
}

function folded(lines: readonly string[]): string {
  if (lines.some((line) => /^\s/.test(line)) || lines[0] === "") throw new NotSimple();
  return lines.join("\n").replace(/\n+/g, (breaks) => (breaks.length === 1 ? " " : breaks.slice(1)));
}

/**
 * Reads the front matter of a Markdown file: YAML between two lines `---` at its top. Loads a YAML parser only for what
 * `readSimpleYaml` does not read. Aliases are refused, so a text cannot grow. Never rejects.
 *
 * @returns the fields and the text below; or the problem, the end of a sentence that begins with the file's name.
 */
export async function readFrontMatter(text: string): Promise<FrontMatter | { readonly problem: string }> {
  const split = splitFrontMatter(text);
  if (!split) return { problem: "must begin with YAML front matter between two --- lines" };
  const { block, body } = split;
  if (block.length > maxFrontMatterLength) {
    return { problem: `has front matter of more than ${maxFrontMatterLength} characters` };
  }
  const fields = readSimpleYaml(block);
  const reading = fields ? { fields } : await readYaml(block);
  return "problem" in reading ? reading : { ...reading, body };
}

/** Reads YAML with a whole parser, which takes 20 ms to load. Every scalar is a string. Never rejects. */
async function readYaml(block: string): Promise<{ readonly fields: FrontMatterFields } | { readonly problem: string }> {
  const { parseDocument } = await import("yaml");
  try {
    const document = parseDocument(block, { schema: "failsafe", logLevel: "silent", prettyErrors: true });
    const [error] = document.errors;
    if (error) return { problem: invalid(firstLine(error.message), error.linePos?.[0].line) };
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    if (value === null || value === "") return { fields: {} };
    if (typeof value !== "object" || Array.isArray(value)) return { problem: "has front matter without keys" };
    return { fields: value as FrontMatterFields };
  } catch (error) {
    // Its errors for aliases, and for a text that is nested so deeply that the parser runs out of stack.
    if (error instanceof ReferenceError)
      return { problem: "has front matter with a YAML alias, which is not supported" };
    if (error instanceof RangeError) return { problem: "has front matter that is nested too deeply" };
    throw error;
  }
}

function firstLine(message: string): string {
  return message.split("\n")[0]?.replace(/ at line \d+, column \d+:?$/, "") ?? message;
}

/** The front matter begins on the second line of the file. */
function invalid(why: string, line: number | undefined): string {
  return `has front matter that is not valid YAML${line === undefined ? "" : `, in line ${line + 1}`}: ${why}`;
}
