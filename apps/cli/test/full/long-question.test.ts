import { existsSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openFull } from "./open-full.ts";

const content = Array.from({ length: 200 }, (_, n) => `line ${n}\n`).join("");
const write = { calls: [{ name: "file_write", arguments: { file_path: "new.txt", content } }] };

test("a change that does not fit says how to approve it, until its end has been on the screen", async () => {
  const cwd = await tempDir();
  const { terminal } = await openFull([write, { text: "Well." }], { cwd, columns: 80, rows: 24 });
  terminal.type("go\r");
  await terminal.waitFor("› v  view all, then answer");
  terminal.type("y");
  await terminal.waitFor("Part of the call is not visible yet; v shows all of it.");
  terminal.type("v");
  await terminal.waitFor("G shows the end");
  terminal.type("q");
  await terminal.waitFor("The end has not been on the screen: v, then G.");
  terminal.type("v");
  await terminal.waitFor("G shows the end");
  terminal.type("G");
  await terminal.waitFor("line 199");
  terminal.type("q");
  await terminal.waitFor("› y  once");
  terminal.type("y");
  await terminal.waitFor("Well.");
  expect(existsSync(join(cwd, "new.txt"))).toBe(true);
});

test("a call that fits once the window is larger can be approved there", async () => {
  const cwd = await tempDir();
  const command = `touch ran\n${"# line\n".repeat(9)}true`;
  const steps = [{ calls: [{ name: "bash", arguments: { command } }] }, { text: "Well." }];
  const { terminal } = await openFull(steps, { cwd, columns: 80, rows: 14 });
  terminal.type("go\r");
  await terminal.waitFor(/v {1,2}view all, then answer/);
  terminal.resize(80, 40);
  await terminal.waitFor(/y {2}once/);
  terminal.type("y");
  await terminal.waitFor("Well.");
  expect(existsSync(join(cwd, "ran"))).toBe(true);
});
