// The conversation on the screen: blocks while they can change, lines that are settled, and the gaps between them. The folder draws, and does
// not know the agent. Blocks: answer-block, call-block (with call-record for the viewer, paint-change and highlight for colours, renderers for
// what is loaded late). Below them: dock, question-dialog; key-bindings are the keys that it names.

import type { DrawnLine, Surface } from "@ikigai/screen";
import { type LookPart, renderLooks } from "../../render/call/render-result.ts";
import type { LineOutput } from "../../render/line-output.ts";
import type { LiveCall } from "./call-record.ts";

/** A part of the conversation while it can still change. */
export interface Block {
  /** A blank line separates blocks of different kinds. */
  readonly kind: "said" | "answer" | "call" | "note";
  /** Returns the lines that will not change any more, each of them once. `rows`: of the screen, on which the others should fit. */
  takeSettled(columns: number, rows: number): readonly DrawnLine[];
  /** Renders the lines after those. A question takes at most `rows` rows. */
  render(columns: number, rows: number): readonly string[];
  /** A finished call that only looked. Several in a row share a line, so they settle together. */
  look?(columns: number): LookPart | undefined;
  /** Whether it is a call that may turn out to be such. */
  mayLook?(): boolean;
  /** Whether it is a call with an open question. */
  isAsked?(): boolean;
  /** A call that runs. */
  live?(): LiveCall | undefined;
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
    // Before it settles, a call may still run above it.
    render: (columns) => (isTaken ? [] : render(columns)),
    isDone: () => true,
  };
}

/** The conversation on the screen. Settled lines go to the terminal's scrollback, in order; the rest is redrawn. */
export interface Transcript {
  add(block: Block): void;
  /** Commits settled lines to the surface. @param isOver whether no more calls follow */
  settle(isOver?: boolean): void;
  /** The calls that run. */
  live(): readonly LiveCall[];
  /** Renders what can still change. While a question is open, its call is the last block. */
  render(columns: number, rows: number): string[];
}

type Look = Pick<LineOutput, "style" | "signs">;

/** @param look how the calls that only look are drawn */
export function createTranscript(
  surface: Pick<Surface, "commit" | "columns" | "rows" | "requestDraw">,
  look: () => Look,
): Transcript {
  const blocks: Block[] = [];
  // The header comes before.
  let last: Above = { kind: "answer", rows: 1 };
  let isBegun = false;
  return {
    add(block) {
      blocks.push(block);
      settle();
      surface.requestDraw();
    },
    settle,
    live: () => blocks.flatMap((block) => block.live?.() ?? []),
    render(columns, rows) {
      const lines: string[] = [];
      let above = last;
      let isOpen = isBegun;
      for (const { kind, lines: own, isAsked } of pieces(blocks, { ...look(), columns }, rows)) {
        if (own.length === 0) continue;
        if (!isOpen && needsGap(above, kind)) lines.push("");
        lines.push(...own);
        above = { kind, rows: own.length + (isOpen ? above.rows : 0) };
        isOpen = false;
        if (isAsked) break;
      }
      return rows <= 0 ? [] : lines;
    },
  };

  function settle(isOver = false): void {
    while (settleFirst(isOver));
  }

  /** Settles what can be of the first block, or of all calls that look if those are the first ones. True if they are done. */
  function settleFirst(isOver: boolean): boolean {
    const [block] = blocks;
    if (!block) return false;
    const { columns, rows } = surface;
    const looks = looksAt(blocks, 0, columns);
    const next = blocks[looks.length];
    // The next call may share their line.
    if (looks.length > 0 && !isOver && (!next || next.mayLook?.())) return false;
    const lines = looks.length > 0 ? drawLooks(looks, { ...look(), columns }) : block.takeSettled(columns, rows);
    if (lines.length > 0) {
      const gap = !isBegun && needsGap(last, block.kind) ? [""] : [];
      last = { kind: block.kind, rows: lines.length + (isBegun ? last.rows : 0) };
      isBegun = true;
      surface.commit([...gap, ...lines]);
    }
    if (looks.length === 0 && !block.isDone()) return false;
    blocks.splice(0, Math.max(1, looks.length));
    isBegun = false;
    return true;
  }
}

/** What is drawn of a block, or of several calls that only looked. */
interface Piece {
  readonly kind: Block["kind"];
  readonly lines: readonly string[];
  readonly isAsked: boolean;
}

function pieces(blocks: readonly Block[], look: Look & { readonly columns: number }, rows: number): readonly Piece[] {
  const drawn: Piece[] = [];
  let index = 0;
  for (let block = blocks[index]; block; block = blocks[index]) {
    const looks = looksAt(blocks, index, look.columns);
    const lines = looks.length > 0 ? drawLooks(looks, look) : block.render(look.columns, rows);
    drawn.push({ kind: block.kind, lines, isAsked: block.isAsked?.() ?? false });
    index += Math.max(1, looks.length);
  }
  return drawn;
}

/** The calls in a row that only looked, from this block on. */
function looksAt(blocks: readonly Block[], first: number, columns: number): readonly LookPart[] {
  const looks: LookPart[] = [];
  const next = () => blocks[first + looks.length]?.look?.(columns);
  for (let part = next(); part; part = next()) looks.push(part);
  return looks;
}

function drawLooks(looks: readonly LookPart[], look: Look & { readonly columns: number }): string[] {
  return renderLooks(looks, look, "ctrl-o");
}

/** The block above another. */
interface Above {
  readonly kind: Block["kind"];
  readonly rows: number;
}

/** Whether a blank line separates two blocks: not between notes, nor below a call that is a single row. */
function needsGap(above: Above, kind: Block["kind"]): boolean {
  if (above.kind !== kind) return true;
  return kind === "call" ? above.rows > 1 : kind !== "note";
}
