// @module-tag sampled
import { unicodeSigns, viewerHelp } from "@ikigai/screen";
import { expect, test } from "vitest";
import { some } from "../ikigai.ts";
import { openFull } from "./open-full.ts";

/** The last row of the screen. */
const lastRow = (screen: string) => screen.split("\n").at(-1) ?? "";

test.each(
  some(2, [
    [120, "Help · N more lines · space page · / search · g/G ends · q closes"],
    [80, "Help · N more lines · space page · / search · g/G ends · q closes"],
    [60, "Help · N more lines · space page · / search · q closes"],
    [40, "Help · N more lines · q closes"],
  ]),
)("the last row of a viewer is whole at %i columns", async (columns, expected) => {
  const { terminal } = await openFull([], { columns, rows: 24 });
  terminal.type("/help\r");
  const row = lastRow(await terminal.waitFor("q closes"));
  expect(row.replace(/\d+ more/, "N more")).toBe(expected);
});

test("at the end the row says how to go back, and with a search how to go to the next match", async () => {
  const { terminal } = await openFull([], { rows: 24 });
  terminal.type("/help\r");
  await terminal.waitFor("q closes");
  terminal.type("G");
  await terminal.waitFor("Help · the end · b page up · / search · g/G ends · q closes");
  terminal.type("/");
  await terminal.waitFor(/^\/_$/m);
  terminal.type("nowhere to be found\r");
  await terminal.waitFor("Help · no match for nowhere to be found · the end ·");
  terminal.type("/model\r");
  await terminal.waitFor(/Help · n\/N matches · (?:the end|\d+ more lines) ·/);
});

test.each(Array.from({ length: 60 }, (_, at) => 8 + 2 * at))("no word of the row is cut at %i columns", (columns) => {
  const closeHints = ["q goes back to the question", "q goes back"] as const;
  const help = { title: "Calls", left: 12, canMove: true, parts: "next call", query: "", isMissing: false, closeHints };
  const row = viewerHelp(help, columns, unicodeSigns);
  expect(row.length).toBeLessThanOrEqual(columns);
  const whole = ["Calls", "12 more lines", "tab next call", "space page", "/ search", "g/G ends", ...closeHints];
  if (columns >= 20) expect(row.split(" · ").filter((part) => !whole.includes(part))).toEqual([]);
  if (columns >= 12) expect(row).toContain("q goes back");
});
