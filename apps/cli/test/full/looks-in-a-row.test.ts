// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { some } from "../ikigai.ts";
import { keys, openFull } from "./open-full.ts";

const read = (file_path: string) => ({ name: "file_read", arguments: { file_path } });
const grep = (pattern: string, glob = "**/*") => ({ name: "grep", arguments: { pattern, ...(glob && { glob }) } });
const glob = (pattern: string) => ({ name: "glob", arguments: { pattern } });
const bash = (command: string) => ({ name: "bash", arguments: { command } });

const project = () => tempDir({ "a.txt": "one\ntwo\n", "b/c.txt": "two\n", empty: "" });

test.each(
  some(2, [
    { columns: 120, rows: 40 },
    { columns: 80, rows: 24 },
    { columns: 80, rows: 24, env: { NO_COLOR: "1", FORCE_COLOR: undefined } },
  ]),
)("one or two have their own lines, more share one, without contents ($columns x $rows)", async (size) => {
  const steps = [
    { calls: [read("a.txt"), grep("two")] },
    { text: "Then:", calls: [read("a.txt"), read("empty"), glob("*.txt")] },
    // Without a glob, one of both is in a directory below.
    { calls: [grep("two", "")] },
    { text: "Done." },
  ];
  const { terminal } = await openFull(steps, { cwd: await project(), ...size });
  terminal.type("go\r");
  await terminal.waitFor("Done.");
  expect(terminal.screen()).toContain("● file_read  a.txt  2 lines\n● grep  two (**/*)  2 matches\n\n◆ Then:\n");
  const [, shared = ""] = /Then:\n\n([\s\S]*?)\n\n◆ Done\./.exec(terminal.screen()) ?? [];
  expect(shared.replace(/\s+/g, " ")).toBe(
    "● file_read a.txt: 2 lines, empty: empty · glob *.txt: 1 file · grep two: 2 matches ctrl-o",
  );
  terminal.type(keys.ctrlO);
  await terminal.waitFor(/b\/c\.txt:1:\s*two/);
});

test("at 40 columns the line wraps, and says how many rows are left out", async () => {
  const calls = Array.from({ length: 12 }, (_, n) => grep(`pattern-number-${n}`));
  const { terminal } = await openFull([{ calls }, { text: "Done." }], {
    ...{ cwd: await project(), columns: 40, rows: 15 },
  });
  terminal.type("go\r");
  await terminal.waitFor("Done.");
  const [, shared = ""] = /(● grep pattern-number-0[\s\S]*?)\n\n◆ Done\./.exec(terminal.screen()) ?? [];
  const rows = shared.split("\n");
  expect(rows).toHaveLength(5);
  expect(rows.at(-1)).toMatch(/^ {2}… \d+ lines {3}ctrl-o$/);
  for (const row of rows) expect(row.length).toBeLessThanOrEqual(40);
});

test("shows in words that nothing was found, and why", async () => {
  const { terminal } = await openFull([{ calls: [glob("*.zz")] }, { text: "Done." }], { cwd: await project() });
  terminal.type("go\r");
  await terminal.waitFor("Done.");
  expect(terminal.screen()).toMatch(
    /● glob {2}\*\.zz {2}no match\n {2}searched '\.'; 1 directory below was not searched/,
  );
});

test("an error, a command and a tool of the user are shown as usual", async () => {
  const tool = `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"glob","description":"x","parameters":{"type":"object","properties":{}}}'; exit; fi
echo '{"output":"mine","count":7}'
`;
  const home = await tempDir({
    ".ikigai/config.json": '{"permission":{"readOnlyCommands":false}}',
    ".ikigai/tools/glob-tool": { content: tool, mode: 0o755 },
  });
  const calls = [read("a.txt"), read("missing"), read("a.txt"), glob("*"), bash("echo hi"), read("a.txt")];
  const { terminal } = await openFull([{ calls }, { text: "Done." }], {
    ...{ cwd: await project(), env: { HOME: home } },
    args: ["--allow", "bash", "--allow", "glob"],
  });
  terminal.type("go\r");
  await terminal.waitFor("Done.");
  expect(terminal.steadyScreen()).toMatch(
    /● file_read {2}a\.txt {2}2 lines\n✗ file_read {2}missing\n {2}.*missing.*\n(?: {2}.*\n)*\n● file_read {2}a\.txt {2}2 lines\n● glob \(user\) .*\n {2}mine\n/,
  );
  expect(terminal.screen()).toMatch(/ {2}hi\n {2}exit 0 · .*\n\n● file_read {2}a\.txt {2}2 lines\n\n◆ Done/);
});

test("they stay on the screen when the turn is stopped, and when ikigai quits", async () => {
  const calls = [read("a.txt"), grep("two"), glob("*")];
  const { terminal } = await openFull([{ calls }, { text: "So", hangs: true }, { calls }, { text: "", hangs: true }], {
    cwd: await project(),
  });
  terminal.type("go\r");
  await terminal.waitFor("So");
  terminal.type(keys.escape);
  await terminal.waitFor("Interrupted");
  terminal.type("again\r");
  await terminal.waitFor(/again[\s\S]*● file_read a\.txt: 2 lines/);
  terminal.type(keys.ctrlC);
  await terminal.waitFor(/again[\s\S]*Interrupted/);
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
  expect(terminal.screen().match(/● file_read a\.txt: 2 lines/g)).toHaveLength(2);
});
