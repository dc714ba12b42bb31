import { isDeepStrictEqual } from "node:util";
import { type DiffLine, diffLines } from "../screen/line-diff.ts";

/** What two envelopes differ in; undefined when they say the same. */
export function compareEnvelopes(then: string, now: string): readonly DiffLine[] | undefined {
  if (then === now || isDeepStrictEqual(JSON.parse(then), JSON.parse(now))) return undefined;
  return diffLines(linesOf(then), linesOf(now));
}

/** A value a line, and a line of a text a line, so that a change in a long output is seen as what it is. */
function linesOf(json: string): string[] {
  return JSON.stringify(JSON.parse(json), null, 2)
    .replace(/\\(.)/g, (whole, letter) => (letter === "n" ? "\\n\n" : whole))
    .split("\n");
}
