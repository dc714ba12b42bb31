// Patterns for one name: brackets, then stars and question marks, whether a text fits, and what of it depends on the bytes of a name.

import { Buffer, isUtf8 } from "node:buffer";
import { isCharacterClass, isInClass } from "../classes.ts";
import { type ByteString, codesOf, fromText } from "./directory.ts";

/** Codes of the characters with a meaning in patterns. */
const ascii = {
  exclamation: 0x21,
  asterisk: 0x2a,
  dash: 0x2d,
  dot: 0x2e,
  colon: 0x3a,
  equals: 0x3d,
  question: 0x3f,
  opening: 0x5b,
  backslash: 0x5c,
  closing: 0x5d,
  caret: 0x5e,
} as const;

/** Matches exactly one character: a code, or a set. */
type Step = number | ((code: number) => boolean);

/** A pattern split at its stars; without a star it is all head. */
interface Wildcards<Piece> {
  /** At the start. */
  readonly head: Piece;
  /** Anywhere between head and tail, in this order. */
  readonly middle: readonly Piece[];
  /** At the end. */
  readonly tail: Piece | undefined;
}

type Steps = readonly Step[];

const anyCharacter = () => true;
const star = Symbol("star");

/** Parses a pattern given as character codes; `undefined` if it cannot match anything because it ends with a lone `\`. */
function parseWildcards(codes: readonly number[]): Wildcards<Steps> | undefined {
  const pieces: Step[][] = [[]];
  const lastClosing = codes.lastIndexOf(ascii.closing);
  for (let at = 0; at < codes.length; ) {
    const token = parseToken(codes, at, lastClosing);
    if (token === undefined) return undefined;
    if (token.step === star) pieces.push([]);
    else pieces.at(-1)?.push(token.step);
    at = token.end;
  }
  const [head = [], ...others] = pieces;
  const tail = others.pop();
  return { head, middle: others.filter(({ length }) => length > 0), tail };
}

function parseToken(
  codes: readonly number[],
  at: number,
  lastClosing: number,
): { step: Step | typeof star; end: number } | undefined {
  const code = codes[at];
  if (code === ascii.asterisk) return { step: star, end: at + 1 };
  if (code === ascii.question) return { step: anyCharacter, end: at + 1 };
  const bracket = code === ascii.opening && at < lastClosing ? parseBracket(codes, at + 1) : undefined;
  if (bracket) return { step: bracket.has, end: bracket.end };
  const start = code === ascii.backslash ? at + 1 : at;
  const literal = codes[start];
  return literal === undefined ? undefined : { step: literal, end: start + 1 };
}

/** Whether a text, given as character codes, matches. Each star matches as little as possible, so none is tried twice. */
function fitsSteps({ head, middle, tail }: Wildcards<Steps>, codes: readonly number[]): boolean {
  if (tail === undefined) return codes.length === head.length && fitsAt(head, codes, 0);
  const end = codes.length - tail.length;
  if (head.length > end || !fitsAt(head, codes, 0) || !fitsAt(tail, codes, end)) return false;
  let at = head.length;
  for (const piece of middle) {
    while (at + piece.length <= end && !fitsAt(piece, codes, at)) at++;
    at += piece.length;
    if (at > end) return false;
  }
  return true;
}

function fitsAt(piece: Steps, codes: readonly number[], start: number): boolean {
  for (let index = 0; index < piece.length; index++) {
    const step = piece[index];
    const code = codes[start + index] ?? 0;
    if (typeof step === "function" ? !step(code) : step !== code) return false;
  }
  return true;
}

/** Converts the pieces to strings if stars are the only wildcards: native searches are faster. */
function toLiterals({ head, middle, tail }: Wildcards<Steps>): Wildcards<string> | undefined {
  if (![head, ...middle, tail ?? []].every(isLiteral)) return undefined;
  return { head: textOf(head), middle: middle.map(textOf), tail: tail && textOf(tail) };
}

function isLiteral(piece: Steps): piece is readonly number[] {
  return piece.every((step) => typeof step === "number");
}

function textOf(piece: Steps): string {
  return piece.map((code) => String.fromCodePoint(Number(code))).join("");
}

/** Like `fitsSteps`, for literal pieces. */
function fitsLiterals({ head, middle, tail }: Wildcards<string>, text: string): boolean {
  if (tail === undefined) return text === head;
  const end = text.length - tail.length;
  if (head.length > end || !text.startsWith(head) || !text.endsWith(tail)) return false;
  let at = head.length;
  for (const piece of middle) {
    const found = text.indexOf(piece, at);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}

/** A bracket expression such as `[!a-z[:digit:]]`. */
interface Bracket {
  /** Whether the expression matches a character, given by its code. */
  readonly has: (code: number) => boolean;
  /** The offset after the expression. */
  readonly end: number;
}

/** One item of the list between the brackets. */
interface Member {
  /** Absent for unknown names (`[:word:]`, `[.ab.]`): a list that gets this far matches nothing. */
  readonly has?: (code: number) => boolean;
  readonly end: number;
}

const asciiSize = 128;

/** How far the end of `[:`, `[=` or `[.` is searched for, in characters: enough for any name, and cheap. */
const maxNameLength = 64;

/** Parses the expression whose `[` is just before `start`; `undefined` if it has no end, so `[` is an ordinary character. */
function parseBracket(codes: readonly number[], start: number): Bracket | undefined {
  const negated = codes[start] === ascii.exclamation || codes[start] === ascii.caret;
  const members: Member[] = [];
  let at = negated ? start + 1 : start;
  // A leading `]` is a member.
  while (members.length === 0 || codes[at] !== ascii.closing) {
    const member = parseMember(codes, at);
    if (member === undefined) return undefined;
    members.push(member);
    at = member.end;
  }
  return { has: membership(members, negated), end: at + 1 };
}

function membership(members: readonly Member[], negated: boolean): Bracket["has"] {
  const decide = (code: number) => {
    for (const { has } of members) {
      if (has === undefined) return false;
      if (has(code)) return !negated;
    }
    return negated;
  };
  const table = Array.from({ length: asciiSize }, (_, code) => decide(code));
  return (code) => table[code] ?? decide(code);
}

function parseMember(codes: readonly number[], at: number): Member | undefined {
  if (codes[at] === ascii.opening) {
    const named = parseClass(codes, at) ?? parseEquivalence(codes, at);
    if (named) return named;
  }
  const low = parseEndpoint(codes, at);
  if (low === undefined || !startsRange(codes, low.end)) return low && toMember(low);
  const high = parseEndpoint(codes, low.end + 1);
  if (high === undefined) return undefined;
  return toMember(low, high);
}

function startsRange(codes: readonly number[], at: number): boolean {
  return codes[at] === ascii.dash && codes[at + 1] !== undefined && codes[at + 1] !== ascii.closing;
}

/** `[:alpha:]` */
function parseClass(codes: readonly number[], at: number): Member | undefined {
  const named = delimited(codes, at, ascii.colon);
  if (named === undefined) return undefined;
  const name = String.fromCodePoint(...named.codes);
  if (!/^[a-z]*$/.test(name)) return undefined;
  return isCharacterClass(name) ? { has: (code) => isInClass(name, code), end: named.end } : { end: named.end };
}

/** `[=a=]`: in the C locale every character is equivalent only to itself. */
function parseEquivalence(codes: readonly number[], at: number): Member | undefined {
  const named = delimited(codes, at, ascii.equals);
  if (named?.codes.length !== 1) return undefined;
  return { has: (code) => code === named.codes[0], end: named.end };
}

/** The start or end of a range; without `code` for a collating symbol of several characters. */
interface Endpoint {
  readonly code?: number | undefined;
  readonly end: number;
}

/** `a`, `\a` or `[.a.]` */
function parseEndpoint(codes: readonly number[], at: number): Endpoint | undefined {
  if (codes[at] === ascii.opening && codes[at + 1] === ascii.dot) {
    const symbol = delimited(codes, at, ascii.dot);
    return symbol && { code: symbol.codes.length === 1 ? symbol.codes[0] : undefined, end: symbol.end };
  }
  const start = codes[at] === ascii.backslash ? at + 1 : at;
  const code = codes[start];
  return code === undefined ? undefined : { code, end: start + 1 };
}

function toMember(low: Endpoint, high: Endpoint = low): Member {
  const { code: first } = low;
  const { code: last } = high;
  if (first === undefined || last === undefined) return { end: high.end };
  return { has: (code) => first <= code && code <= last, end: high.end };
}

/** Returns what is between `[` + mark and mark + `]`. */
function delimited(codes: readonly number[], at: number, mark: number): { codes: number[]; end: number } | undefined {
  if (codes[at + 1] !== mark) return undefined;
  // At least one character, possibly the mark itself: `[[.].]]`, `[[...]]`.
  for (let end = at + 3; end <= at + 2 + maxNameLength; end++) {
    if (codes[end] === mark && codes[end + 1] === ascii.closing)
      return { codes: codes.slice(at + 2, end), end: end + 2 };
  }
  return undefined;
}

/** A pattern for file names. */
export interface NamePattern {
  /** The only name it matches, if it has no wildcards. */
  readonly literal: ByteString | undefined;
  readonly takes: (name: ByteString) => boolean;
}

/** Which names with a leading dot wildcards match. */
interface DotOptions {
  /** All but `.`, `..` and `.git`; otherwise only after an explicit dot. */
  readonly takesHidden: boolean;
}

/** Names that wildcards never match where they match hidden files. */
const neverHidden = new Set([".", "..", ".git"]);

/** Whether `**` enters a directory, or matches a name. */
export function isBelowAny(name: ByteString): boolean {
  return !name.startsWith(".") || !neverHidden.has(name);
}

/** Parses a name pattern; `undefined` if it cannot match anything. */
export function parseNamePattern(text: string, { takesHidden }: DotOptions): NamePattern | undefined {
  const wildcards = parseWildcards(bytesOf(fromText(text)));
  if (wildcards === undefined) return undefined;
  // Stars and literals match the same bytes whether or not these form characters.
  const literals = toLiterals(wildcards);
  const fits = literals ? (name: ByteString) => fitsLiterals(literals, name) : byCharacters(text);
  if (literals && literals.tail === undefined) return { literal: literals.head, takes: fits };
  const hasDot = wildcards.head[0] === ascii.dot;
  const takes = takesHidden
    ? (name: ByteString) => isBelowAny(name) && fits(name)
    : (name: ByteString) => (hasDot || !name.startsWith(".")) && fits(name);
  return { literal: undefined, takes };
}

/** In a UTF-8 name, `?` and brackets match a character; in any other name, a byte. */
function byCharacters(text: string): NamePattern["takes"] {
  const wildcards = parseWildcards(codesOf(text));
  const byteWildcards = parseWildcards(bytesOf(fromText(text)).map(asStray));
  if (wildcards === undefined || byteWildcards === undefined) return () => false;
  return (name) => {
    const bytes = bytesOf(name);
    if (bytes.every(isAsciiByte)) return fitsSteps(wildcards, bytes);
    const buffer = Buffer.from(name, "latin1");
    return isUtf8(buffer)
      ? fitsSteps(wildcards, codesOf(buffer.toString()))
      : fitsSteps(byteWildcards, bytes.map(asStray));
  };
}

function bytesOf(name: ByteString): number[] {
  const bytes = new Array<number>(name.length);
  for (let index = 0; index < name.length; index++) bytes[index] = name.charCodeAt(index);
  return bytes;
}

function isAsciiByte(byte: number): boolean {
  return byte < 0x80;
}

/** The code of a stray byte, outside all character classes: 0xe9 must not match as é. */
function asStray(byte: number): number {
  return isAsciiByte(byte) ? byte : 0xdc00 + byte;
}

/**
 * Returns a function that tests whole texts against a pattern, like
 * `fnmatch(3)` without flags: `*` matches slashes and leading dots.
 *
 * Takes time at most proportional to the length of the pattern times that of the text. Never throws.
 */
export function matcher(pattern: string): (text: string) => boolean {
  const wildcards = parseWildcards(codesOf(pattern));
  if (wildcards === undefined) return () => false;
  const literals = toLiterals(wildcards);
  return literals ? (text) => fitsLiterals(literals, text) : (text) => fitsSteps(wildcards, codesOf(text));
}
