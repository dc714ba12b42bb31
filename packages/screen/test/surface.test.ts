import { Terminal } from "@xterm/headless";
import { expect, test } from "vitest";
import { type Drawn, place, repaint, unplaced } from "../src/draw-frame.ts";
import { type MarkdownCursor, type Piece, takePiece } from "../src/split-markdown.ts";

const size = { cols: 40, rows: 12 };

/** A generator with the same numbers in every run. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * sides);
  };
}

function write(terminal: Terminal, text: string): Promise<void> {
  return new Promise((done) => terminal.write(text, done));
}

function linesOf({ buffer: { active } }: Terminal): string[] {
  const lines = Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? "");
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}

test.each(Array.from({ length: 20 }, (_, seed) => seed))("draws exactly the wanted lines (%i)", async (seed) => {
  const roll = dice(seed);
  const terminal = new Terminal({ ...size, scrollback: 5_000, allowProposedApi: true });
  const before = Array.from({ length: roll(size.rows) }, (_, row) => `shell ${row}`);
  await write(terminal, before.map((line) => `${line}\r\n`).join(""));
  const kept = [...before];
  let live: string[] = [];
  let drawn: Drawn = { lines: [], row: 0 };
  for (let frame = 0; frame < 60; frame++) {
    const settled = Array.from({ length: roll(4) === 0 ? roll(20) : 0 }, (_, row) => `kept ${frame}.${row}`);
    live = changed(live, frame);
    const { output, row } = repaint(drawn, [...settled, ...live], size.rows);
    // The cursor is somewhere else each time.
    const target = roll(live.length);
    const by = target + settled.length - row;
    const move = by === 0 ? "" : by > 0 ? `\u001b[${by}B` : `\u001b[${-by}A`;
    await write(terminal, `\u001b[?7l${output}${move}\r\u001b[?7h`);
    kept.push(...settled);
    drawn = { lines: live, row: target };
    expect(linesOf(terminal)).toEqual([...kept, ...live]);
  }

  /** Removes, adds, changes and extends some lines. */
  function changed(lines: readonly string[], frame: number): string[] {
    const at = roll(lines.length + 1);
    const middle = lines.slice(at, at + roll(3)).map((line) => `${line}${roll(2) ? "+" : ""}`);
    const added = Array.from({ length: roll(5) }, (_, row) =>
      `line ${frame}.${row} ${"x".repeat(roll(45))}`.slice(0, size.cols),
    );
    const next = [...lines.slice(0, at), ...middle, ...added, ...lines.slice(at + roll(4))].slice(-size.rows);
    return (next.length > 0 ? next : ["only"]).map((line) => line.slice(0, size.cols));
  }
});

test.each(Array.from({ length: 20 }, (_, seed) => seed))("covers lines and writes them again (%i)", async (seed) => {
  const roll = dice(seed);
  const terminal = new Terminal({ ...size, scrollback: 5_000, allowProposedApi: true });
  const before = Array.from({ length: roll(size.rows) }, (_, row) => `shell ${row}`);
  await write(terminal, before.map((line) => `${line}\r\n`).join(""));
  const kept: string[] = [];
  let drawn: Drawn = { lines: [], row: 0 };
  let placement = { ...unplaced, origin: roll(2) === 0 ? before.length : undefined };
  let bottom = 0;
  for (let frame = 0; frame < 80; frame++) {
    const waiting = Array.from({ length: roll(3) === 0 ? roll(6) : 0 }, (_, row) => `kept ${frame}.${row}`);
    const over = roll(2) === 0 ? roll(7) : 0;
    const dock = ["", "input", "footer"];
    // A question is no part of those that cover lines.
    const question = Array.from({ length: roll(3) === 0 ? roll(4) : 0 }, (_, row) => `question ${row}`);
    const wanted = [
      ...question,
      ...dock.slice(0, 2),
      ...Array.from({ length: over }, (_, row) => `over ${row}`),
      "footer",
    ];
    const placed = place(placement, { waiting, height: wanted.length, over, rows: size.rows });
    const { taken, written, gap } = placed;
    const live = [...Array<string>(gap).fill(""), ...wanted];
    const from = { lines: [...taken, ...drawn.lines], row: drawn.row + taken.length };
    const { output, row } = repaint(from, [...written, ...live], size.rows);
    const target = roll(live.length);
    const by = target + written.length - row;
    const move = by === 0 ? "" : by > 0 ? `\u001b[${by}B` : `\u001b[${-by}A`;
    await write(terminal, `\u001b[?7l${output}${move}\r\u001b[?7h`);
    kept.push(...waiting);
    drawn = { lines: live, row: target };
    placement = { ...placed.placement, origin: placement.origin };
    const { covered } = placement;
    expect(covered.length).toBeLessThanOrEqual(over);
    expect(kept.slice(kept.length - covered.length)).toEqual(covered);
    const rows = [...before, ...kept.slice(0, kept.length - covered.length), ...live];
    expect(linesOf(terminal)).toEqual(rows);
    // Once the screen is full, the lines that are drawn for a while do not scroll it, and the footer stays in the last row.
    const isFull = bottom >= size.rows + before.length;
    if (isFull && waiting.length + question.length === 0) expect(rows).toHaveLength(bottom);
    if (isFull) expect(rows.length).toBeGreaterThanOrEqual(bottom);
    bottom = Math.max(bottom, rows.length);
  }
});

const text = `# Title

A paragraph
of two lines.

- one
- two

  more of two
- three

1. first

2. second

\`\`\`ts
const a = "\`\`";

// a comment
\`\`\`

> quoted

| a | b |
|---|---|
| 1 | 2 |
~~~
no language
~~~
The end.
`;

function piecesOf(chunks: readonly string[]): Piece[] {
  const cursor: MarkdownCursor = { rest: "", fence: undefined };
  const pieces: Piece[] = [];
  const take = (isEnd: boolean) => {
    for (let piece = takePiece(cursor, isEnd); piece; piece = takePiece(cursor, isEnd)) pieces.push(piece);
  };
  for (const chunk of chunks) {
    cursor.rest += chunk;
    take(false);
  }
  take(true);
  return pieces;
}

test.each([1, 2, 3, 7, 50])("an answer splits into the same pieces however it arrives (%i)", (length) => {
  const whole = piecesOf([text]);
  expect(piecesOf(text.match(new RegExp(`[\\s\\S]{1,${length}}`, "g")) ?? [])).toEqual(whole);
  expect(whole.map((piece) => (piece.type === "code" ? piece.lines.join("\n") : piece.text.trim()))).toEqual([
    "# Title",
    "A paragraph\nof two lines.",
    "- one\n- two\n\n  more of two\n- three\n\n1. first\n\n2. second",
    'const a = "``";\n\n// a comment',
    "> quoted",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "no language",
    "The end.",
  ]);
});
