// JSON as text: read strictly, put on one line, cut, searched for names, changed without parsing. Below: a scanner that finds
// where strings and values are, in one pass.

import { isUtf8 } from "node:buffer";
import { isDeeperThan, isJsonObject, type JsonObject, kindOf, maxJsonLevels } from "@ikigai/protocol";

/** Trims JSON white space. `trim` would also remove a byte order mark, which is not white space in JSON. */
function trimJson(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Puts a JSON text on one line: line breaks and the indentation after them are never part of a value. */
export function onOneLine(json: string): string {
  return json.replaceAll(/[\r\n][ \t\r\n]*/g, "");
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/**
 * Returns the longest prefix of a JSON string's raw content (without quotes) that has at most `maxBytes` bytes and is valid
 * between quotes: it does not split a character, an escape or a surrogate pair.
 */
export function cutJsonString(raw: Buffer, maxBytes: number): Buffer {
  let end = 0;
  for (;;) {
    const next = end + characterBytes(raw, end);
    if (next > maxBytes || next > raw.length || next === end) return raw.subarray(0, end);
    end = next;
  }
}

function characterBytes(raw: Buffer, at: number): number {
  const byte = raw[at];
  if (byte === undefined) return 0;
  if (byte === 0x5c) return escapeBytes(raw, at);
  if (byte < 0x80) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

function escapeBytes(raw: Buffer, at: number): number {
  const text = raw.toString("latin1", at, at + 12);
  if (/^\\u[dD][89abAB]..\\u[dD][c-fC-F]/.test(text)) return 12;
  return text.startsWith("\\u") ? 6 : 2;
}

/** Parses a JSON object; returns `undefined` for anything else. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** An object and its text, or why the text is not an object: the end of a sentence. */
export type JsonReading =
  | { readonly ok: true; readonly text: string; readonly value: JsonObject }
  | { readonly ok: false; readonly problem: string; readonly isJson: boolean };

/** Reads exactly one JSON object: no second value, no byte order mark, only UTF-8, and at most `maxJsonLevels`. */
export function readJsonObject(bytes: Buffer): JsonReading {
  if (!isUtf8(bytes)) return { ok: false, problem: "it is not UTF-8", isJson: false };
  const text = trimJson(bytes.toString("utf8"));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, problem: describeProblem(bytes, text), isJson: false };
  }
  if (!isJsonObject(value)) return { ok: false, problem: `expected an object, got ${kindOf(value)}`, isJson: true };
  if (!isDeeperThan(value, maxJsonLevels)) return { ok: true, text, value };
  return { ok: false, problem: `it has more than ${maxJsonLevels} levels`, isJson: true };
}

/** Replaces Node's messages, which quote the text including control characters and mostly give no offset. */
function describeProblem(bytes: Buffer, text: string): string {
  if (text === "") return "it is empty";
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "a byte order mark at byte 0";
  const scanner = new JsonScanner();
  scanner.push(bytes);
  scanner.finish();
  const { found, offset } = scanner.problem ?? { found: "not JSON", offset: 0 };
  return `${found} at byte ${offset}`;
}

/** Returns the offset after the closing quote of the JSON string that starts at `start`. */
export function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (json[quote - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** Removes the white space between the values of a valid JSON text. All else stays, such as escapes and duplicate names. */
export function compactJson(json: string): string {
  const pieces: string[] = [];
  let done = 0;
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', done)) {
    const end = endOfString(json, start);
    pieces.push(json.slice(done, start).replace(/\s+/g, ""), json.slice(start, end));
    done = end;
  }
  return pieces.join("") + json.slice(done).replace(/\s+/g, "");
}

/**
 * Returns the first name that an object in a valid JSON text has twice: a parsed value keeps only the last one. `undefined` if there
 * are only different ones.
 *
 * @param levels in how many levels of objects and arrays to look; 1 is the outermost object
 */
export function duplicateName(json: string, levels = Number.POSITIVE_INFINITY): string | undefined {
  const open: (Set<string> | undefined)[] = [];
  let last = "";
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      const end = endOfString(json, at);
      last = json.slice(at, end);
      at = end - 1;
    } else if (character === "{" || character === "[") open.push(undefined);
    else if (character === "}" || character === "]") open.pop();
    else if (character === ":" && open.length <= levels) {
      const name = JSON.parse(last) as string;
      const seen = open.pop() ?? new Set();
      open.push(seen);
      if (seen.has(name)) return name;
      seen.add(name);
    }
  }
  return undefined;
}

/**
 * Replaces the values of an object's members with a name, however the name is escaped, and leaves all other text as it is: parsing and
 * printing again would change numbers that JavaScript does not have.
 *
 * @param json a valid JSON text of an object.
 * @param replace returns the new text for an old one.
 */
export function replaceMember(json: string, name: string, replace: (value: string) => string): string {
  const pieces: string[] = [];
  let done = 0;
  let depth = 0;
  let isKey = true;
  let key = "";
  let start = 0;
  const end = (at: number) => {
    if (key === name && !isKey) {
      pieces.push(json.slice(done, start), replace(json.slice(start, at)));
      done = at;
    }
    isKey = true;
  };
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      const next = endOfString(json, at);
      if (depth === 1 && isKey) key = JSON.parse(json.slice(at, next));
      at = next - 1;
    } else if (character === ":" && depth === 1 && isKey) {
      isKey = false;
      start = at + 1;
    } else if (character === "," && depth === 1) end(at);
    else if (character === "{" || character === "[") depth++;
    else if ((character === "}" || character === "]") && --depth === 0) end(at);
  }
  return pieces.join("") + json.slice(done);
}

/** The arguments as the model wrote them if they are a JSON object, otherwise as a string. */
export function argumentsJson(text: string): string {
  if (text.trim() === "") return "{}";
  return parseObject(text) === undefined ? JSON.stringify(text) : onOneLine(text.trim());
}

/** A JSON object of values that are already JSON, so that the texts of tools and models stay unchanged. */
export function jsonObject(fields: Readonly<Record<string, string>>): string {
  const members = Object.entries(fields).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return `{${members.join(",")}}`;
}

/** The raw content of a string value, without its quotes: byte offsets from the start of the text. */
export interface StringSpan {
  readonly start: number;
  readonly end: number;
}

/** Why a text is not JSON; `found` is the end of a sentence. */
interface JsonProblem {
  readonly offset: number;
  readonly found: string;
}

type State = (byte: number) => State | undefined;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Deeper than any answer within a host's limit, in levels: a text of only brackets must not fill the memory. */
const maxDepth = 600_000;

/**
 * Checks a JSON text as strictly as `JSON.parse`, byte by byte without holding it in memory, and records where its long string
 * values are. Does not check that the bytes are UTF-8.
 */
export class JsonScanner {
  /** String values of at least the minimum length, in order. Object keys are not included. */
  readonly strings: StringSpan[] = [];
  problem: JsonProblem | undefined;
  /** The offset after the last byte that is not white space. */
  end = 0;

  readonly #minStringBytes: number;
  readonly #containers: number[] = [];
  #offset = 0;
  #state: State = (byte) => this.#value(byte);
  #at = 0;
  #stringStart = 0;
  #isKey = false;

  constructor(minStringBytes = Number.POSITIVE_INFINITY) {
    this.#minStringBytes = minStringBytes;
  }

  /** Scans the next part of the text. After a problem, input is ignored. */
  push(chunk: Uint8Array): void {
    for (let index = 0; index < chunk.length && this.problem === undefined; index++) {
      if (this.#state === this.#inString) index = skipPlain(chunk, index);
      const byte = chunk[index];
      if (byte === undefined) break;
      this.#step(byte, this.#offset + index);
    }
    this.#offset += chunk.length;
  }

  /** Ends the text; afterwards `problem` is final. */
  finish(): void {
    // A number at the end of the text is terminated by white space.
    if (this.#state(0x20) !== this.#afterAll) this.#fail(this.#offset, "the text ends early");
  }

  #step(byte: number, offset: number): void {
    this.#at = offset;
    const next = this.#state(byte);
    if (!isSpace(byte)) this.end = offset + 1;
    if (next) this.#state = next;
    else this.#fail(offset, this.#state === this.#afterAll ? "more text after the value" : describe(byte));
  }

  #fail(offset: number, found: string): void {
    this.problem ??= { offset, found };
  }

  #value: State = (byte) => {
    if (isSpace(byte)) return this.#state;
    if (byte === quote) return this.#startString(false);
    if (byte === openBrace) return this.#open(openBrace, this.#firstKey);
    if (byte === openBracket) return this.#open(openBracket, this.#firstItem);
    if (byte === 0x2d) return this.#minus;
    if (byte === 0x30) return this.#afterInteger;
    if (isDigit(byte)) return this.#integer;
    if (byte === 0x74) return this.#literal("rue");
    if (byte === 0x66) return this.#literal("alse");
    return byte === 0x6e ? this.#literal("ull") : undefined;
  };

  #open(container: number, next: State): State | undefined {
    this.#containers.push(container);
    return this.#containers.length > maxDepth ? undefined : next;
  }

  #close(): State {
    this.#containers.pop();
    return this.#afterValue(0x20) ?? this.#afterAll;
  }

  #firstItem: State = (byte) => (byte === closeBracket ? this.#close() : this.#value(byte));
  #firstKey: State = (byte) => (byte === closeBrace ? this.#close() : this.#key(byte));
  #key: State = (byte) => (isSpace(byte) ? this.#state : byte === quote ? this.#startString(true) : undefined);
  #colon: State = (byte) => (isSpace(byte) ? this.#colon : byte === 0x3a ? this.#value : undefined);
  #afterAll: State = (byte) => (isSpace(byte) ? this.#afterAll : undefined);

  #afterValue: State = (byte) => {
    const container = this.#containers.at(-1);
    if (container === undefined) return this.#afterAll(byte);
    if (isSpace(byte)) return this.#afterValue;
    if (byte === 0x2c) return container === openBrace ? this.#key : this.#value;
    const closing = container === openBrace ? closeBrace : closeBracket;
    return byte === closing ? this.#close() : undefined;
  };

  #startString(isKey: boolean): State {
    this.#isKey = isKey;
    this.#stringStart = this.#at + 1;
    return this.#inString;
  }

  #inString: State = (byte) => {
    if (byte === backslash) return this.#escape;
    if (byte < 0x20) return undefined;
    if (byte !== quote) return this.#inString;
    if (this.#isKey) return this.#colon;
    if (this.#at - this.#stringStart >= this.#minStringBytes) {
      this.strings.push({ start: this.#stringStart, end: this.#at });
    }
    return this.#afterValue;
  };

  #escape: State = (byte) => {
    if (byte === 0x75) return this.#hex(4);
    return '"\\/bfnrt'.includes(String.fromCharCode(byte)) ? this.#inString : undefined;
  };

  #hex(digits: number): State {
    return (byte) => (!isHexDigit(byte) ? undefined : digits === 1 ? this.#inString : this.#hex(digits - 1));
  }

  #literal(rest: string): State {
    return (byte) => {
      if (byte !== rest.charCodeAt(0)) return undefined;
      return rest.length === 1 ? this.#afterValue : this.#literal(rest.slice(1));
    };
  }

  #minus: State = (byte) => (byte === 0x30 ? this.#afterInteger : isDigit(byte) ? this.#integer : undefined);
  #integer: State = (byte) => (isDigit(byte) ? this.#integer : this.#afterInteger(byte));
  #afterInteger: State = (byte) => (byte === 0x2e ? this.#point : this.#beforeExponent(byte));
  #point: State = (byte) => (isDigit(byte) ? this.#fraction : undefined);
  #fraction: State = (byte) => (isDigit(byte) ? this.#fraction : this.#beforeExponent(byte));
  #beforeExponent: State = (byte) => (byte === 0x65 || byte === 0x45 ? this.#exponentSign : this.#afterValue(byte));
  #exponentSign: State = (byte) => (byte === 0x2b || byte === 0x2d ? this.#exponentStart : this.#exponentStart(byte));
  #exponentStart: State = (byte) => (isDigit(byte) ? this.#exponent : undefined);
  #exponent: State = (byte) => (isDigit(byte) ? this.#exponent : this.#afterValue(byte));
}

/** The index of the next byte that ends the string, starts an escape or is invalid: most bytes are none of these. */
function skipPlain(chunk: Uint8Array, from: number): number {
  let index = from;
  for (; index < chunk.length; index++) {
    const byte = chunk[index] ?? 0;
    if (byte === quote || byte === backslash || byte < 0x20) break;
  }
  return index;
}

function describe(byte: number): string {
  return byte > 0x20 && byte < 0x7f
    ? `unexpected ${String.fromCharCode(byte)}`
    : `unexpected byte 0x${byte.toString(16)}`;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function isHexDigit(byte: number): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
