import { cutToWidth, textWidth } from "../../render/fit-text.ts";
import type { Signs } from "../../render/line-output.ts";

/** What the last row of a viewer says. */
export interface ViewerHelp {
  readonly title: string;
  /** The lines below the last one on the screen. */
  readonly left: number;
  /** Whether there are lines above or below those on the screen. */
  readonly canMove: boolean;
  /** Whether Tab jumps between parts, and what they are. */
  readonly parts?: string | undefined;
  /** The text that was searched for; empty without one. */
  readonly query: string;
  readonly isMissing: boolean;
  /** What the key does that closes it, in the words for a wide and for a narrow screen. */
  readonly closeHints: readonly [string, string];
}

/** A part of the row. Those with the highest rank are left out first; one without a rank never is. */
interface Part {
  readonly text: string;
  readonly rank?: number;
}

/** The title, where one is, and the keys, as many of them as fit as a whole. */
export function viewerHelp(help: ViewerHelp, columns: number, { dot, cut }: Pick<Signs, "dot" | "cut">): string {
  const join = (texts: readonly string[]) => texts.join(` ${dot} `);
  const [long, short] = help.closeHints;
  const title = cutToWidth(help.title, Math.floor(columns * maxTitleShare), cut);
  for (const [closeHint, least] of [
    [long, 3],
    [short, 1],
  ] as const) {
    const parts = partsOf({ ...help, title }, closeHint);
    for (let rank = 7; rank >= least; rank--) {
      const row = join(parts.filter((part) => (part.rank ?? 0) <= rank).map(({ text }) => text));
      if (textWidth(row) <= columns) return row;
    }
  }
  const room = columns - textWidth(join(["", short]));
  return room < minTitle ? cutToWidth(short, columns, cut) : join([cutToWidth(title, room, cut), short]);
}

/** A title of fewer columns says nothing. */
const minTitle = 4;

/** The part of the row that a long title may take: it has room for the keys, too. */
const maxTitleShare = 0.5;

function partsOf({ title, left, canMove, parts, query, isMissing }: ViewerHelp, closeHint: string): Part[] {
  const found = isMissing ? `no match for ${query}` : query === "" ? undefined : "n/N matches";
  return [
    { text: title },
    ...(found === undefined ? [] : [{ text: found, rank: 1 }]),
    { text: left > 0 ? `${left} more lines` : "the end", rank: 2 },
    ...(parts === undefined ? [] : [{ text: `tab ${parts}`, rank: 4 }]),
    ...(canMove ? [{ text: left > 0 ? "space page" : "b page up", rank: 6 }] : []),
    { text: "/ search", rank: 5 },
    ...(canMove ? [{ text: "g/G ends", rank: 7 }] : []),
    { text: closeHint },
  ];
}
