import { withoutCutNote } from "@ikigai/core/internal";
import type { JsonValue } from "@ikigai/protocol";
import { type DiffLine, diffLines } from "../../render/line-diff.ts";

/** What two envelopes differ in; undefined when they say the same. */
export function compareEnvelopes(then: string, now: string): readonly DiffLine[] | undefined {
  if (then === now) return undefined;
  try {
    return isSame(JSON.parse(then), JSON.parse(now)) ? undefined : diffLines(linesOf(then), linesOf(now));
  } catch {
    // No envelope, or deeper than can be compared: the file was not written by ikigai.
    return diffLines([then], linesOf(now));
  }
}

function isSame(then: JsonValue, now: JsonValue): boolean {
  if (typeof then === "string" && typeof now === "string") return then === now || isSameCut(then, now);
  if (typeof then !== "object" || typeof now !== "object" || !then || !now) return then === now;
  if (Array.isArray(then) !== Array.isArray(now)) return false;
  const [before, after] = [new Map(Object.entries(then)), new Map(Object.entries(now))];
  return (
    before.size === after.size &&
    [...before].every(([key, value]) => after.has(key) && isSame(value, after.get(key) ?? null))
  );
}

/** Two texts that were both cut are the same as far as they are known: the length of the file's name decides how much is kept. */
function isSameCut(then: string, now: string): boolean {
  const [before, after] = [withoutCutNote(then), withoutCutNote(now)];
  if (before === undefined || after === undefined) return false;
  return before.startsWith(after) || after.startsWith(before);
}

/** A value a line, and a line of a text a line, so that a change in a long output is seen as what it is. */
function linesOf(json: string): string[] {
  return JSON.stringify(JSON.parse(json), null, 2)
    .replace(/\\(.)/g, (whole, letter) => (letter === "n" ? "\\n\n" : whole))
    .split("\n");
}
