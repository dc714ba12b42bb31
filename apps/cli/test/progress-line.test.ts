import { plainStyle, unicodeSigns } from "@ikigai/screen";
import { expect, test } from "vitest";
import { progressLine } from "../src/lines/event-view.ts";
import type { LineOutput } from "../src/render/line-output.ts";

const screen = { style: plainStyle, signs: unicodeSigns, columns: 80 } as LineOutput;

test("is one row, so that no report of a tool looks like a question", () => {
  const message = `${"working".padEnd(76)}${"● bash  npm test".padEnd(80)}  Run it?   y once`;
  expect(progressLine({ progress: 1, message }, screen)).toBe(`  … ${"working".padEnd(74)}…`);
  expect(progressLine({ progress: 3, total: 4, message: "half" }, screen)).toBe("  … half 75 %");
});

test("counts marks, which some terminals give a column", () => {
  const mark = "\u{1e4ec}";
  expect(progressLine({ progress: 1, message: `a${mark.repeat(80)}Run it?` }, screen)).toBe(`  … a${mark.repeat(73)}…`);
});
