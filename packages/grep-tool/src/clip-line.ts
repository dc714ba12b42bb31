import { textEnd, textStart } from "@ikigai/protocol";

/** How much of a long line a model sees, in UTF-16 units: a minified file says no more in a thousand. */
export const maxShownLength = 500;

/** The most bytes of a character. */
const maxCharacterBytes = 4;

/** A part of a line. */
export interface ClippedLine {
  readonly content: string;
  readonly isClipped?: true;
}

/** Returns a line, or if it is long the part around a match, whose beginning is always in it; `…` stands for what is missing. */
export function clipAround(line: Buffer, matchStart: number, matchEnd: number): ClippedLine {
  const from = characterStart(line, matchStart);
  const match = line.toString("utf8", from, Math.min(matchEnd, from + maxShownLength * maxCharacterBytes));
  // What is left is for both sides; a match that is too long leaves a little, so that its beginning can be recognised.
  const room = Math.max(maxShownLength - match.length, maxShownLength / 10);
  const reach = room * maxCharacterBytes;
  const before = line.toString("utf8", characterStart(line, Math.max(from - reach, 0)), from);
  const rest = line.toString("utf8", from, Math.min(line.length, from + (maxShownLength + room) * maxCharacterBytes));
  const wantedAfter = Math.min(rest.length - match.length, Math.ceil(room / 2));
  const start = textEnd(before, room - Math.max(wantedAfter, 0));
  const end = textStart(rest, maxShownLength - start.length);
  const isFromStart = start.length === before.length && from - reach <= 0;
  const isToEnd = end.length === rest.length && from + (maxShownLength + room) * maxCharacterBytes >= line.length;
  if (isFromStart && isToEnd) return { content: start + end };
  return { content: `${isFromStart ? "" : "…"}${start}${end}${isToEnd ? "" : "…"}`, isClipped: true };
}

/** Returns the start of a long text. */
export function clipEnd(text: string): ClippedLine {
  return text.length <= maxShownLength
    ? { content: text }
    : { content: `${textStart(text, maxShownLength)}…`, isClipped: true };
}

/** Moves an offset back to the start of a UTF-8 character. */
function characterStart(line: Buffer, offset: number): number {
  let at = offset;
  while (at > 0 && offset - at < maxCharacterBytes && ((line[at] ?? 0) & 0xc0) === 0x80) at--;
  return at;
}
