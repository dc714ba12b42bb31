import { wrapMarks } from "../pi-tui/text.ts";

/** Where the drawn lines are, and the committed lines around them. Rows are counted from the first one that was written. */
export interface Placement {
  /** The committed lines straight above the drawn ones. */
  readonly above: readonly string[];
  /** The committed lines after those, which the drawn lines cover for a while. */
  readonly covered: readonly string[];
  /** The row of the first drawn line, and the lowest row so far. */
  readonly top: number;
  readonly bottom: number;
  /** The row of the screen where the first row was, negative if above it; undefined if unknown. */
  readonly origin?: number | undefined;
}

export const unplaced: Placement = { above: [], covered: [], top: 0, bottom: 0 };

/** What is to be drawn: committed lines first, then some that change, the last `over` of which only for a while. */
export interface Wanted {
  readonly waiting: readonly string[];
  readonly height: number;
  readonly over: number;
  /** The rows of the screen. */
  readonly rows: number;
}

/** What a frame writes above the lines that change. */
interface Placed {
  /** Committed lines that it covers. */
  readonly taken: readonly string[];
  /** Committed lines that it writes. */
  readonly written: readonly string[];
  readonly placement: Placement;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what begins an image
const image = /\u001b[_P]|\u001b\]1337/;

/**
 * Places the next frame. At the bottom of the screen, lines that are drawn only for a while do not scroll it: they cover the last
 * committed lines, which are written again afterwards, so that the others return to the rows where they were.
 */
export function place(before: Placement, { waiting, height, over, rows }: Wanted): Placed {
  const { above, covered, top } = before;
  const last = lastRow(before, rows);
  const held = covered.length + waiting.length;
  const wanted = Math.max(0, Math.min(over, top + held + height - 1 - last));
  const taken = above.slice(above.length - takable(above, wanted - held, top - Math.max(0, last - rows + 1)));
  const all = [...taken, ...covered, ...waiting];
  const cover = Math.min(all.length, Math.max(wanted, taken.length));
  const written = all.slice(0, all.length - cover);
  const start = top - taken.length + written.length;
  const placement = {
    ...before,
    above: [...above.slice(0, above.length - taken.length), ...written].slice(-rows),
    covered: all.slice(all.length - cover),
    top: start,
    bottom: Math.max(before.bottom, start + height - 1),
  };
  return { taken, written, placement };
}

/** How many lines above can be covered: those on the screen, no part of an image, and no part of a line that the terminal wraps. */
function takable(above: readonly string[], wanted: number, visible: number): number {
  const afterImage = above.length - 1 - above.findLastIndex((line) => image.test(line));
  const most = Math.min(visible, afterImage);
  let count = Math.max(0, Math.min(wanted, most));
  while (count > 0 && count < most && above.at(-count)?.startsWith(wrapMarks.next)) count++;
  return count;
}

/** The row that the last row of the screen is at least. */
function lastRow({ bottom, origin = 0 }: Placement, rows: number): number {
  return Math.max(bottom, rows - 1 - origin);
}
