// @module-tag sampled
import { wrapBelowText } from "@ikigai/screen";
import { expect, test } from "vitest";
import { openFullScreen } from "../terminal.ts";
import { openFull } from "./open-full.ts";

test.each([
  ["one two three", ["one two", "three"]],
  ["  one two three", ["  one two", "  three"]],
  ["  1. one two three", ["  1. one two", "     three"]],
  ["- one two three", ["- one two", "  three"]],
  ["! one two three", ["! one two", "  three"]],
  ["      one two three", ["      one", "two three"]],
  ["    one two three", ["    one", "    two", "    three"]],
  ["--one two three", ["--one two", "three"]],
  ["\u001b[33m  one two three\u001b[39m", ["  one two", "  three"]],
])("wraps %j below its text", (line, rows) => {
  const wrapped = wrapBelowText(line, 9 + (line.includes("1.") ? 3 : 0));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors
  expect(wrapped.map((row) => row.replace(/\u001b\[\d+m/g, ""))).toEqual(rows);
});

test("the interpreter's help and /doctor keep their indentation on a narrow screen", async () => {
  const terminal = await openFullScreen([], { columns: 60 });
  await terminal.waitFor("offline/plain-requests");
  terminal.type("help\r");
  await terminal.waitFor(/\n {2}1\. a provider's key: .*\n {5}\S/);
  terminal.type("/doctor\r");
  const screen = await terminal.waitFor(/\n {2}model: none configured .*\n {2}\S[^\0]*\n(?:No problems|\d)/);
  const report = screen.slice(screen.indexOf("Directories"), screen.search(/\n(?:No problems|\d)/));
  expect(report.split("\n").filter((row) => /^[a-z/]/.test(row))).toEqual([]);
});

test("the bars of /context fit beside their numbers", async () => {
  const { terminal } = await openFull([{ text: "Fine." }], { columns: 44 });
  terminal.type("/context\r");
  const screen = await terminal.waitFor(/ {2}schema of bash +\d+ {2}█+\n/);
  expect(screen).not.toMatch(/^ *█/m);
});
