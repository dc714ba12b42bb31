import type { Surface } from "../terminal/surface.ts";

/** A part of the conversation while it can still change. */
export interface Block {
  /** Of what kind it is: blocks of different kinds stand apart. */
  readonly kind: "said" | "answer" | "call" | "note";
  /** The lines that will not change any more. Each is given once. */
  takeSettled(columns: number): readonly string[];
  /** The lines after those. A question takes no more than so many rows. */
  render(columns: number, rows: number): readonly string[];
  /** Whether it is the call that somebody is being asked about. */
  isAsked?(): boolean;
  isDone(): boolean;
}

/** A block that is what it is. */
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

/** What has been said and done. What is settled goes to the terminal's scrollback, in order; the rest can be drawn. */
export interface Transcript {
  add(block: Block): void;
  /** Hands over what is settled. */
  settle(): void;
  /** What can still change, the last rows of it: while somebody is asked about a call, that call is the last. */
  render(columns: number, rows: number): string[];
}

export function createTranscript(surface: Pick<Surface, "commit" | "columns" | "requestDraw">): Transcript {
  const blocks: Block[] = [];
  // The header stands above.
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

/** Calls stand close together, as do remarks; everything else stands apart. */
function needsGap(before: Block["kind"], kind: Block["kind"]): boolean {
  return before !== kind || kind === "answer" || kind === "said";
}
