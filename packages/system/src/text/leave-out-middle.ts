import { isCharacterBoundary } from "@ikigai/protocol";
import { escapedLength, type UnitLength } from "./unit-length.ts";

/** Room for the line that stands where the middle was left out, in bytes. */
const gapBytes = 64;

/** A text whose middle may be missing. */
export interface TextEnds {
  /** At least as much of the text's start as there is room for. */
  readonly head: string;
  /** At least as much of the text's end as there is room for. */
  readonly tail: string;
  /** How long the whole text is, in bytes. */
  readonly bytes: number;
}

/**
 * The start and the end of a text, with a line between them that tells how many bytes are missing. Both are whole lines, unless
 * the line that is cut is most of what there is room for.
 *
 * @param room for all of it, in bytes as `lengthOf` counts them.
 */
export function leaveOutMiddle(
  { head, tail, bytes }: TextEnds,
  room: number,
  lengthOf: UnitLength = escapedLength,
): string {
  const half = Math.floor((room - gapBytes) / 2);
  if (half <= 0) return head.slice(0, headEnd(head, room));
  const start = startWithin(head, half, lengthOf);
  const end = endWithin(tail, half, lengthOf);
  // Bytes that are not UTF-8 take more of them once they are text.
  const leftOut = Math.max(0, bytes - Buffer.byteLength(start) - Buffer.byteLength(end));
  return `${start}${start.endsWith("\n") ? "" : "\n"}… ${leftOut} bytes left out …\n${end}`;
}

/** Where the longest head of a text ends that fits in `room` bytes of JSON: after a newline, if it has one. */
export function headEnd(text: string, room: number): number {
  const end = fittingHead(text, room, escapedLength);
  return end === text.length ? end : afterLastNewline(text, end) || end;
}

function startWithin(text: string, room: number, lengthOf: UnitLength): string {
  const end = fittingHead(text, room, lengthOf);
  const lineEnd = end === text.length ? end : afterLastNewline(text, end);
  return text.slice(0, lineEnd < end / 2 ? end : lineEnd);
}

function endWithin(text: string, room: number, lengthOf: UnitLength): string {
  const start = fittingTail(text, room, lengthOf);
  // The newline before the tail may be the last character that did not fit.
  const lineStart = start === 0 ? 0 : text.indexOf("\n", start - 1) + 1;
  const isMostlyOneLine = lineStart === 0 || lineStart - start > (text.length - start) / 2;
  return text.slice(isMostlyOneLine ? start : lineStart);
}

/** Where the longest head that fits ends: at a character. */
function fittingHead(text: string, room: number, lengthOf: UnitLength): number {
  let index = 0;
  for (let used = 0; index < text.length; index++) {
    used += lengthOf(text, index);
    if (used > room) break;
  }
  return isCharacterBoundary(text, index) ? index : index - 1;
}

/** Where the longest tail that fits starts: at a character. */
function fittingTail(text: string, room: number, lengthOf: UnitLength): number {
  let index = text.length;
  for (let used = 0; index > 0; index--) {
    used += lengthOf(text, index - 1);
    if (used > room) break;
  }
  return isCharacterBoundary(text, index) ? index : index + 1;
}

function afterLastNewline(text: string, end: number): number {
  return end === 0 ? 0 : text.lastIndexOf("\n", end - 1) + 1;
}
