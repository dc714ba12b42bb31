import { ascii } from "./ascii.ts";
import { parseBracket } from "./bracket.ts";

/** Matches exactly one character: the one with this code, or one of a set. */
export type Step = number | ((code: number) => boolean);

/** A pattern cut at its stars; without a star it is all head. */
export interface Wildcards<Piece> {
  /** Stands at the start. */
  readonly head: Piece;
  /** Stand anywhere between head and tail, in this order. */
  readonly middle: readonly Piece[];
  /** Stands at the end. */
  readonly tail: Piece | undefined;
}

type Steps = readonly Step[];

const anyCharacter = () => true;
const star = Symbol("star");

/** Reads a pattern, given as the codes of its characters; nothing when it can match nothing: a lone `\` ends it. */
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

/** Whether a text, given as the codes of its characters, fits. Each star takes as little as it can, so none is tried twice. */
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

/** The pieces as texts, when stars are the only wildcards: native searches are quicker. */
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

/** As `fitsSteps`, for pieces that are texts. */
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
