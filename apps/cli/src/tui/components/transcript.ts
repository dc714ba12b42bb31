import type { DrawnLine } from "../../render/visual/picture.ts";
import type { Surface } from "../terminal/surface.ts";

/** A part of the conversation while it can still change. */
export interface Block {
  /** A blank line separates blocks of different kinds. */
  readonly kind: "said" | "answer" | "call" | "note";
  /** Returns the lines that will not change any more, each of them once. */
  takeSettled(columns: number): readonly DrawnLine[];
  /** Renders the lines after those. A question takes at most `rows` rows. */
  render(columns: number, rows: number): readonly string[];
  /** Whether it is a call with an open question. */
  isAsked?(): boolean;
  isDone(): boolean;
}

/** A block that does not change. */
export function fixedBlock(kind: Block["kind"], render: (columns: number) => readonly string[]): Block {
  let isTaken = false;
  return {
    kind,
    takeSettled(columns) {
      if (isTaken) return [];
      isTaken = true;
      return render(columns);
    },
    render: () => [],
    isDone: () => true,
  };
}

/** The conversation on the screen. Settled lines go to the terminal's scrollback, in order; the rest is redrawn. */
export interface Transcript {
  add(block: Block): void;
  /** Commits settled lines to the surface. */
  settle(): void;
  /** Renders the last rows of what can still change. While a question is open, its call is the last block. */
  render(columns: number, rows: number): string[];
}

export function createTranscript(surface: Pick<Surface, "commit" | "columns" | "requestDraw">): Transcript {
  const blocks: Block[] = [];
  // The header comes before.
  let lastKind: Block["kind"] = "answer";
  let isBegun = false;
  return {
    add(block) {
      blocks.push(block);
      settle();
      surface.requestDraw();
    },
    settle,
    render(columns, rows) {
      const lines: string[] = [];
      let before = lastKind;
      let isOpen = isBegun;
      for (const block of blocks) {
        const own = block.render(columns, rows);
        if (own.length === 0) continue;
        if (!isOpen && needsGap(before, block.kind)) lines.push("");
        lines.push(...own);
        before = block.kind;
        isOpen = false;
        if (block.isAsked?.()) break;
      }
      return rows <= 0 ? [] : lines.slice(-rows);
    },
  };

  function settle(): void {
    for (;;) {
      const [block] = blocks;
      if (!block) return;
      const lines = block.takeSettled(surface.columns);
      if (lines.length > 0) {
        const gap = !isBegun && needsGap(lastKind, block.kind) ? [""] : [];
        isBegun = true;
        lastKind = block.kind;
        surface.commit([...gap, ...lines]);
      }
      if (!block.isDone()) return;
      blocks.shift();
      isBegun = false;
    }
  }
}

/** Whether a blank line separates two blocks: not between calls, nor between notes. */
function needsGap(before: Block["kind"], kind: Block["kind"]): boolean {
  return before !== kind || kind === "answer" || kind === "said";
}
