import { isCharacterBoundary } from "@ikigai/protocol";
import { escapedLength } from "./escaped-length.ts";

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

/** The start and the end of a text in at most `room` bytes of JSON, with a line between them that tells what is missing. */
export function leaveOutMiddle({ head, tail, bytes }: TextEnds, room: number): string {
  const half = Math.floor((room - gapBytes) / 2);
  if (half <= 0) return head.slice(0, headEnd(head, room));
  const start = head.slice(0, headEnd(head, half));
  const end = tail.slice(tailStart(tail, half));
  const leftOut = bytes - Buffer.byteLength(start) - Buffer.byteLength(end);
  return `${start}${start.endsWith("\n") ? "" : "\n"}… ${leftOut} bytes left out …\n${end}`;
}

/** Where the longest head of a text ends that fits in `room` bytes of JSON: after a newline, if it has one. */
export function headEnd(text: string, room: number): number {
  let index = 0;
  for (let used = 0; index < text.length; index++) {
    used += escapedLength(text, index);
    if (used > room) break;
  }
  if (index === 0 || index === text.length) return index;
  const lineEnd = text.lastIndexOf("\n", index - 1) + 1;
  if (lineEnd > 0) return lineEnd;
  return isCharacterBoundary(text, index) ? index : index - 1;
}

/** Where the longest tail that fits starts: after a newline, if it has one. */
function tailStart(text: string, room: number): number {
  let index = text.length;
  for (let used = 0; index > 0; index--) {
    used += escapedLength(text, index - 1);
    if (used > room) break;
  }
  if (index === 0) return 0;
  const lineStart = text.indexOf("\n", index - 1) + 1;
  if (lineStart > 0 && lineStart < text.length) return lineStart;
  return isCharacterBoundary(text, index) ? index : index + 1;
}
