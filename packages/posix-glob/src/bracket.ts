import { isCharacterClass, isInClass } from "@ikigai/posix-classes";
import { ascii } from "./ascii.ts";

/** A bracket expression such as `[!a-z[:digit:]]`. */
export interface Bracket {
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
export function parseBracket(codes: readonly number[], start: number): Bracket | undefined {
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
