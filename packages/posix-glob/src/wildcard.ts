import { ascii } from "./ascii.ts";
import { parseBracket } from "./bracket.ts";

/** Matches exactly one character: a code, or a set. */
export type Step = number | ((code: number) => boolean);

/** A pattern split at its stars; without a star it is all head. */
export interface Wildcards<Piece> {
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
export function parseWildcards(codes: readonly number[]): Wildcards<Steps> | undefined {
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
export function fitsSteps({ head, middle, tail }: Wildcards<Steps>, codes: readonly number[]): boolean {
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
export function toLiterals({ head, middle, tail }: Wildcards<Steps>): Wildcards<string> | undefined {
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
export function fitsLiterals({ head, middle, tail }: Wildcards<string>, text: string): boolean {
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
