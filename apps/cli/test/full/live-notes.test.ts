// @module-tag sampled
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openFull } from "./open-full.ts";

test("what a command prints is on the screen at once, also while a call runs", async () => {
  const calls = [{ name: "bash", arguments: { command: "echo started; until [ -e go ]; do sleep 0.05; done" } }];
  const cwd = await tempDir();
  const { terminal } = await openFull([{ calls }, { text: "Well." }], { args: ["--allow", "bash"], cwd });
  terminal.type("go\r");
  await terminal.waitFor("started");
  terminal.type("/status\r");
  const screen = await terminal.waitFor(/permissions +ask/);
  expect(screen).not.toContain("Well.");
  writeFileSync(join(cwd, "go"), "");
  await terminal.waitFor("Well.");
  expect(terminal.screen().match(/permissions +ask/g)).toHaveLength(1);
});

test.each(["/\u0015", "/\u0017", "@a\u0015"])("completions are closed when %j has emptied the line", async (typed) => {
  const { terminal } = await openFull([], { cwd: await tempDir({ "a.txt": "" }) });
  terminal.type(typed.slice(0, -1));
  await terminal.waitFor("→");
  terminal.type(typed.slice(-1));
  await terminal.waitFor(/›\n─+\n(?!→)[^\n]*$/);
});

test("without colors, the user's words are bold, whatever the terminal says about its background", async () => {
  const { terminal } = await openFull([{ text: "Well." }], { env: { NO_COLOR: "1", FORCE_COLOR: undefined } });
  terminal.type("\u001b]11;rgb:0000/0000/0000\u0007");
  terminal.type("my words\r");
  await terminal.waitFor("Well.");
  expect(terminal.raw()).toContain("\u001b[1mmy words");
});
