import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { until } from "../ikigai.ts";
import type { Terminal } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

/** Writes the first frame that has the question slowly, as over a line that stalls, and tells when that begins. */
const slowly = `const fs = require("node:fs");
const { writeSync } = fs;
fs.writeSync = (fd, ...rest) => {
  if (fd === 1 && !fs.existsSync("begun") && String(rest[0]).includes("Run bash?")) {
    fs.closeSync(fs.openSync("begun", "w"));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
  }
  return writeSync(fd, ...rest);
};
require("node:module").syncBuiltinESMExports();
`;

test.each(["y", "\r"])("%j that is pressed before a question is on the screen does not answer it", async (key) => {
  const cwd = await tempDir({ "slowly.cjs": slowly });
  const env = { NODE_OPTIONS: `--require ${join(cwd, "slowly.cjs")}` };
  const call = { name: "bash", arguments: { command: "touch ran" } };
  const { terminal } = await openFull([{ calls: [call] }, { text: "Done." }], { cwd, env });
  terminal.type("go\r");
  await until(() => existsSync(join(cwd, "begun")), "the frame");
  await sleep(500);
  expect(terminal.screen()).not.toContain("Run bash?");
  terminal.type(key);
  await terminal.waitFor("Run bash?");
  await sleep(1_500);
  expect(terminal.screen()).toContain("Run bash?");
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});

/** A session whose terminal hangs while a question about a call appears. */
async function openHanging(isAnswering: boolean) {
  const cwd = await tempDir();
  const call = { name: "bash", arguments: { command: "touch ran" } };
  const { terminal } = await openFull([{ calls: [call] }, { text: "Done." }], { cwd, isAnswering });
  terminal.type("go\r");
  await sleep(50);
  terminal.pause();
  await sleep(2_500);
  expect(terminal.screen()).not.toContain("Run bash?");
  return { terminal, hasRun: () => existsSync(join(cwd, "ran")) };
}

async function answerAfterwards(terminal: Terminal, key: string): Promise<void> {
  terminal.resume();
  await terminal.waitFor("Run bash?");
  await sleep(1_200);
  terminal.type(key);
}

test.each(["y", "\r"])("%j that is pressed while the terminal hangs does not answer a question", async (key) => {
  const { terminal, hasRun } = await openHanging(true);
  terminal.type(key);
  await sleep(300);
  terminal.resume();
  await terminal.waitFor("Run bash?");
  await sleep(1_500);
  expect(terminal.screen()).toContain("Run bash?");
  expect(hasRun()).toBe(false);
});

test.each([
  ["that answers", true],
  ["that does not", false],
])("a question is answered as usual after a terminal %s has hung", async (_, isAnswering) => {
  const { terminal, hasRun } = await openHanging(isAnswering);
  await answerAfterwards(terminal, "\r");
  await until(hasRun, "the call");
  await terminal.waitFor("Done.");
});

test.each([
  ["Enters", 1_000, [keys.enter, keys.enter]],
  ["Enters", 2_100, [keys.enter, keys.enter]],
  ["arrows and Enters", 1_000, [keys.up, keys.enter, keys.up, keys.enter]],
] as const)(
  "%s %d ms apart while the terminal hangs do not go through lists that are not on the screen",
  async (_, gapMs, pressed) => {
    const cwd = await tempDir();
    const write = { calls: [{ name: "file_write", arguments: { file_path: "new.txt", content: "new\n" } }] };
    const { terminal } = await openFull([write, { text: "Written." }], {
      cwd,
      args: ["--allow", "file_write"],
      isAnswering: true,
    });
    terminal.type("go\r");
    await terminal.waitFor("Written.");
    await sleep(500);
    terminal.pause();
    for (const typed of ["/rewind\r", ...pressed]) {
      terminal.type(typed);
      await sleep(gapMs);
    }
    terminal.resume();
    await terminal.waitFor("Rewind to before");
    expect(existsSync(join(cwd, "new.txt"))).toBe(true);
    await sleep(1_000);
    terminal.type("\r");
    await terminal.waitFor("Rewind what");
  },
);
