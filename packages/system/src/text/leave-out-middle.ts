import { isCharacterBoundary } from "@ikigai/protocol";
import { escapedLength, type UnitLength } from "./unit-length.ts";

/** Space for the line that replaces the middle, in bytes. */
const gapBytes = 64;

/** A text whose middle may be missing. */
export interface TextEnds {
  /** At least as much of the start as fits. */
  readonly head: string;
  /** At least as much of the end as fits. */
  readonly tail: string;
  /** Length of the whole text, in bytes. */
  readonly bytes: number;
}

/**
 * Shortens a text to its start and end, with a line in between that says how many bytes were left out. Cuts at line breaks,
 * unless that would lose most of what fits.
 *
 * @param room space for the result, in bytes as counted by `lengthOf`.
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
  // Invalid bytes become longer when they are decoded.
  const leftOut = Math.max(0, bytes - Buffer.byteLength(start) - Buffer.byteLength(end));
  return `${start}${start.endsWith("\n") ? "" : "\n"}… ${leftOut} bytes left out …\n${end}`;
}

/** Returns the end of the longest head that fits in `room` bytes of JSON: after a newline, if there is one. */
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
  // The newline before the tail may be the first character that did not fit.
  const lineStart = start === 0 ? 0 : text.indexOf("\n", start - 1) + 1;
  const isMostlyOneLine = lineStart === 0 || lineStart - start > (text.length - start) / 2;
  return text.slice(isMostlyOneLine ? start : lineStart);
}

/** Where the longest head that fits ends, at a character boundary. */
function fittingHead(text: string, room: number, lengthOf: UnitLength): number {
  let index = 0;
  for (let used = 0; index < text.length; index++) {
    used += lengthOf(text, index);
    if (used > room) break;
  }
  return isCharacterBoundary(text, index) ? index : index - 1;
}

/** Where the longest tail that fits starts, at a character boundary. */
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
