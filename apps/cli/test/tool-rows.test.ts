// Promise 5 of SECURITY.md.
import { stripVTControlCharacters } from "node:util";
import { readVisual } from "@ikigai/protocol";
import { ansiStyle, plainWidth, unicodeSigns } from "@ikigai/screen";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EventView } from "../src/lines/event-view.ts";
import { drawVisuals } from "../src/render/call/draw-visuals.ts";
import { renderResult } from "../src/render/call/render-result.ts";

/** Combining marks, of which some terminals give this one a column. */
const mark = "\u{1e4ec}";
const question = "● bash  npm test";

/** Texts that fill a row, so that what follows is at the margin if the terminal wraps it. */
const filling = fc
  .array(fc.tuple(fc.constantFrom("a", " ", mark, "日", "-", "\u00a0"), fc.nat(90)), { maxLength: 4 })
  .map((parts) => parts.map(([text, count]) => text.repeat(count)).join("") + question);

const columns = fc.integer({ min: 20, max: 90 });
const look = (width: number) => ({ style: ansiStyle, signs: unicodeSigns, columns: width });

/** The columns of a row on the terminal that gives it most. */
function mostWidth(row: string): number {
  const plain = stripVTControlCharacters(row);
  return plainWidth(plain) + (plain.match(/\p{Mn}/gu)?.length ?? 0);
}

function expectRows(rows: readonly string[], width: number): void {
  for (const row of rows) {
    expect(mostWidth(row)).toBeLessThanOrEqual(width);
    expect(stripVTControlCharacters(row)).toMatch(/^(?: {2}|$)/);
  }
}

test("a tool's error, its advice and notes are in rows of their own, none of which the terminal wraps", () => {
  fc.assert(
    fc.property(filling, columns, fc.boolean(), (text, width, isAnswer) => {
      const result = { error: text, hint: text, help: { steps: [text] } };
      const failure = {
        tool_success: false,
        error: text,
        error_code: "TOOL_CRASHED",
        stdout: "",
        stderr: text,
      } as const;
      const envelope = isAnswer ? ({ tool_success: true, result } as const) : failure;
      const rendered = renderResult({ name: "t", envelope, durationMs: 1, notes: [text] } as never, look(width));
      expectRows(rendered.trimEnd().split("\n"), width);
      const joined = stripVTControlCharacters(rendered).replace(/\s/g, "");
      expect(joined.split(question.replace(/\s/g, "")).length).toBeGreaterThan(2);
    }),
  );
});

test("only the system's bash prints the path of a log in one piece, whatever another tool of this name answers", () => {
  const shown = (scope: "system" | "user") => {
    const printed: string[] = [];
    const screen = { ...look(40), print: (text: string) => void printed.push(text), startLine: () => {} };
    const view = new EventView({ screen, cwd: "/", withOutput: true, isEchoed: false } as never);
    const result = { pid: 1, log: `/${"long/".repeat(9)}log ${question}` };
    view.show({ type: "tool_call", id: "c", name: "bash", arguments: "{}" });
    view.show({ type: "tool_start", id: "c", name: "bash", scope } as never);
    const envelope = { tool_success: true, result };
    view.show({ type: "tool_result", id: "c", name: "bash", envelope, durationMs: 1, notes: [] } as never);
    return printed
      .join("")
      .split("\n")
      .filter((row) => mostWidth(row) > 40);
  };
  expect(shown("system")).toHaveLength(1);
  expect(shown("user")).toEqual([]);
});

test("what a tool draws is in rows that the terminal does not wrap", () => {
  const series = (text: string) => [
    { name: text, values: [1, 2] },
    { name: "b", values: [2, 1] },
  ];
  const visuals = (text: string) => [
    { type: "table", alt: text, columns: [text, "b"], rows: [[text, text]] },
    { type: "chart", kind: "line", alt: text, labels: [text, text], series: series(text) },
    { type: "diff", alt: text, path: text, text: `--- a\n+++ b\n@@ -1 +1 @@\n-${text}\n+${text}\n` },
    { type: "image", alt: text, path: "missing.png" },
  ];
  fc.assert(
    fc.property(filling, columns, fc.nat(3), (text, width, index) => {
      const visual = readVisual(visuals(text)[index] as never) as never;
      expectRows(drawVisuals([visual], look(width)).map(String), width);
    }),
  );
});

test("a cell with marks is cut only if there is no room for it", () => {
  const table = { type: "table", alt: "x", columns: ["name", "n"], rows: [["Zoe\u0308", 1]] } as never;
  expect(
    drawVisuals([table], { ...look(40) })
      .map(String)
      .at(-1),
  ).toContain("Zoe\u0308");
});

test("a failed command shows its last lines, without blank lines before and npm's notices after them", () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const output = `\n \n${lines.join("\n")}\n\nnpm notice\nnpm notice New minor version\nnpm notice\n`;
  const envelope = { tool_success: true, result: { output, exit_code: 1 } } as const;
  const shown = renderResult({ name: "bash", envelope, durationMs: 5, notes: [] }, look(80));
  const rows = stripVTControlCharacters(shown).trimEnd().split("\n");
  expect(rows).toEqual(["  line 0", "  … 25 lines", ...lines.slice(-14).map((line) => `  ${line}`), "  exit 1 · 5 ms"]);
});
