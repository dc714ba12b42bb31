// @module-tag sampled
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openFull } from "./open-full.ts";

const source = `export function total(numbers: number[]): number {
  let all = 1;
  for (const one of numbers) all += one; // adds up
  return all;
}
`;
const edit = {
  calls: [
    { name: "file_edit", arguments: { file_path: "sum.ts", old_string: "let all = 1", new_string: "let all = 0" } },
  ],
};

/** Opens a session in which the model changes a file, with this configuration of the screen. */
async function change(screen: object, options: Partial<Parameters<typeof openFull>[1]> = {}) {
  const cwd = await tempDir({ "sum.ts": source });
  const config = JSON.stringify({ screen });
  const home = await tempDir({ ".ikigai/config.json": { content: config, mode: 0o600 } });
  const args = ["--permission-mode", "edits"];
  const one = await openFull([edit, { text: "Done." }], { cwd, args, ...options, env: { HOME: home, ...options.env } });
  one.terminal.type("go\r");
  return { ...one, cwd };
}

/** Escape characters as signs. */
const readable = (raw: string) => raw.replaceAll("\u001b", "␛");

const onGreen = "\u001b[48;5;22;38;5;231m";
const onRed = "\u001b[48;5;52;38;5;231m";
const onBrightGreen = "\u001b[48;5;28;38;5;231m";
const onBrightRed = "\u001b[48;5;124;38;5;231m";

test.each([
  { columns: 120, rows: 40 },
  { columns: 80, rows: 24 },
  { columns: 40, rows: 15 },
])("a change has the language's colours, grounds, and marks on its words ($columns x $rows)", async (size) => {
  const { terminal } = await change({ theme: "dark" }, size);
  await terminal.waitFor("Done.");
  const raw = terminal.raw();
  // The keyword in the colour for text on a ground, the changed digit on a ground of its own, the row up to the edge.
  expect(raw).toContain(`${onRed}    2 -   \u001b[38;5;219mlet${onRed} all = ${onBrightRed}1${onRed};`);
  expect(raw).toContain(`${onGreen}    2 +   \u001b[38;5;219mlet${onGreen} all = ${onBrightGreen}0${onGreen};`);
  expect(readable(raw)).toMatch(/all = .{1,60}; {4,}␛\[39;49m/);
  // The context, in the theme's own colours, at normal brightness.
  expect(readable(raw)).toMatch(/ 3 {3}␛\[39m {2}␛\[38;5;\d+mfor␛\[39m \(/);
  expect(terminal.screen()).toContain("    2 -   let all = 1;\n    2 +   let all = 0;\n");
});

test("a change is shown as well if the model writes the parameters as in other agents' tools", async () => {
  const others = { path: "sum.ts", oldString: "let all = 1", newString: "let all = 0" };
  const cwd = await tempDir({ "sum.ts": source });
  const args = ["--permission-mode", "edits"];
  const steps = [{ calls: [{ name: "file_edit", arguments: others }] }, { text: "Done." }];
  const { terminal } = await openFull(steps, { cwd, args });
  terminal.type("go\r");
  await terminal.waitFor("Done.");
  expect(terminal.screen()).toMatch(/file_edit {2}sum.ts {2}\+1 −1/);
  expect(terminal.screen()).toContain("    2 -   let all = 1;\n    2 +   let all = 0;\n");
});

test("a question shows the change in the same way", async () => {
  const { terminal, cwd } = await change({ theme: "light" }, { args: [] });
  await terminal.waitFor("Run file_edit?");
  expect(terminal.raw()).toContain("\u001b[48;5;194;38;5;16m");
  expect(terminal.raw()).toContain("\u001b[48;5;120;38;5;16m0");
  terminal.type("y");
  await terminal.waitFor("Done.");
  expect(readFileSync(join(cwd, "sum.ts"), "utf8")).toBe(source.replace("all = 1", "all = 0"));
});

test("where the background is unknown, changed lines have grounds, and text with colours of its own on them", async () => {
  const { terminal } = await change({ theme: "auto" });
  await terminal.waitFor("Done.");
  expect(terminal.raw()).toContain(`all = ${onBrightGreen}0${onGreen};`);
});

test("in a theme of 16 colours the text is coloured and changed words are bold", async () => {
  const { terminal } = await change({ theme: "ansi" });
  await terminal.waitFor("Done.");
  expect(readable(terminal.raw())).not.toMatch(/␛\[48;5;(?:22|52|28|124)/);
  expect(readable(terminal.raw())).toMatch(/all = ␛\[(?:39m␛\[)?1m␛\[\d+m0/);
});

test("without colours a change has none", async () => {
  const { terminal } = await change({ theme: "dark" }, { env: { NO_COLOR: "1", FORCE_COLOR: undefined } });
  await terminal.waitFor("Done.");
  expect(readable(terminal.raw())).not.toMatch(/␛\[(?:[34]8|3[1-7])/);
  expect(terminal.screen()).toContain("    2 -   let all = 1;\n    2 +   let all = 0;\n");
});
