// Promise 5 of SECURITY.md.
// @module-tag sampled
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { until } from "../ikigai.ts";
import type { Step } from "../model-server.ts";
import { openFullScreen, type Terminal } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

const touch = (name: string) => ({ name: "bash", arguments: { command: `touch ${name}` } });

/** A session whose model calls these tools at once, and then says "Well.", and "Yarn." to the next message. */
async function open(calls: readonly Step["calls"][], waitMs = 0) {
  const cwd = await tempDir();
  const steps = calls.map((step) => ({ ...(step && { calls: step }), waitMs }));
  const { terminal, model } = await openFull([...steps, { text: "Well." }, { text: "Yarn." }], { cwd });
  terminal.type("go\r");
  const said = () => JSON.stringify(model.requests.at(-1)?.messages);
  return { terminal, model, said, cwd, ran: () => readdirSync(cwd).sort() };
}

async function openQuestion(...names: readonly string[]) {
  const opened = await open([names.map(touch)]);
  await opened.terminal.waitFor(`touch ${names[0]}`);
  await opened.terminal.waitFor("Run bash?");
  return opened;
}

async function typeSlowly(terminal: Terminal, text: string, keyMs: number): Promise<void> {
  for (const key of text) {
    terminal.type(key);
    await sleep(keyMs);
  }
}

describe("a question that has the focus", () => {
  // Counted from the question that it answers, the gap is no shorter on a machine that stalls.
  test.each([60, 700])("y %d ms after each of four questions answers it", async (gapMs) => {
    const { terminal, ran } = await openQuestion("a", "b", "c", "d");
    for (const number of [1, 2, 3, 4]) {
      await until(() => terminal.screen().includes(`${number} of 4`), `question ${number}`);
      await sleep(gapMs);
      terminal.type("y");
    }
    await terminal.waitFor("Well.");
    expect(ran()).toEqual(["a", "b", "c", "d"]);
    expect(terminal.screen()).toMatch(/\n› *\n/);
  });

  test.each(["stop, use pnpm", "remember the tests", "good, but on staging", "two of them"])(
    "%s approves and saves nothing",
    async (text) => {
      const { terminal, model, ran } = await openQuestion("a");
      await typeSlowly(terminal, `${text}\r`, 60);
      await terminal.waitFor("Answer with yes, no, or no and a reason.");
      expect(terminal.screen()).toContain(`Run bash?  ${text}`);
      terminal.type("\u001b");
      await sleep(300);
      await typeSlowly(terminal, "s\u007fn", 60);
      await terminal.waitFor("Well.");
      expect(ran()).toEqual([]);
      expect(terminal.screen()).not.toContain("allow bash(");
      expect(model.requests).toHaveLength(2);
    },
  );

  test.each([
    ["yes", 0],
    ["yes", 100],
    ["yep", 320],
  ])("%s and Enter, %d ms a key, answers one question", async (yes, keyMs) => {
    const { terminal, model, ran } = await openQuestion("a", "b");
    await typeSlowly(terminal, `${yes}\r`, keyMs);
    await until(() => ran().length === 1, "the call");
    await sleep(500);
    expect(ran()).toEqual(["a"]);
    expect(terminal.screen()).toMatch(/^ {2}Run bash\?(?! {2}e)/m);
    await typeSlowly(terminal, "no\r", keyMs);
    await terminal.waitFor("Well.");
    await sleep(300);
    expect(ran()).toEqual(["a"]);
    expect(model.requests).toHaveLength(2);
  });

  test("a question that opens while the word of an answer is typed is next", async () => {
    const { terminal, ran } = await open([[touch("a")], [touch("b")]], 700);
    await terminal.waitFor("Run bash?");
    await typeSlowly(terminal, "yes\ryes\r", 320);
    await terminal.waitFor("Well.");
    expect(ran()).toEqual(["a", "b"]);
  });

  test.each([
    ["no, use pnpm", 0],
    ["no, use pnpm", 100],
    ["no, use pnpm", 320],
    ["not now", 100],
  ])("%s, %d ms a key, reaches the model", async (words, keyMs) => {
    for (const names of [["a"], ["a", "b"]]) {
      const { terminal, said, ran } = await openQuestion(...names);
      await typeSlowly(terminal, `${words}\r`, keyMs);
      if (names.length > 1) {
        await terminal.waitFor("bash waits for your answer · Tab");
        terminal.type(keys.tab);
        await terminal.waitFor("Run bash?");
        terminal.type("n");
      }
      await until(() => said().includes(`"${words}"`), "the words");
      expect(said()).toContain("The user denied this call.");
      expect(ran()).toEqual([]);
    }
  });

  test("takes a pasted answer, and the reason with it", async () => {
    const { terminal, said, ran } = await openQuestion("a");
    terminal.type("\u001b[200~No, use pnpm\u001b[201~");
    await terminal.waitFor("Run bash?  No, use pnpm");
    terminal.type("\r");
    await until(() => said().includes("The user denied this call and says: use pnpm"), "the reason");
    expect(ran()).toEqual([]);
  });

  test.each(["okay, you may\r", "Yarn please\r"])("keeps %j, which is no answer, in its line", async (text) => {
    const { terminal, ran } = await openQuestion("a", "b");
    terminal.type("n");
    await terminal.waitFor(/denied[\s\S]*Run bash\?|touch b[\s\S]*Run bash\?/);
    await typeSlowly(terminal, text, 60);
    await terminal.waitFor("Answer with yes, no");
    terminal.type(keys.escape);
    await sleep(100);
    terminal.type("y");
    await until(() => ran().length > 0, "the call");
    expect(ran()).toEqual(["b"]);
  });

  test("shift-tab leaves it for the draft, and Tab goes back", async () => {
    const { terminal, ran } = await openQuestion("a");
    terminal.type(keys.shiftTab);
    await terminal.waitFor("bash waits for your answer · Tab");
    terminal.type("yes\r");
    await terminal.waitFor(/› yes +next step/);
    expect(ran()).toEqual([]);
    terminal.type(`${keys.tab}y`);
    await until(() => ran().length > 0, "the call");
  });

  test.each([
    ["arrives faster than anyone types", "yyyyyyyyyyyy"],
    ["the terminal reports as repeated", `y${"\u001b[121;1:2u".repeat(12)}`],
  ])("a key that %s answers one question", async (_, pressed) => {
    const { terminal, ran } = await openQuestion("a", "b", "c");
    terminal.type(pressed);
    await until(() => ran().length > 0, "the call");
    await sleep(500);
    expect(ran()).toEqual(["a"]);
    expect(terminal.screen()).not.toContain("› y\n");
  });

  test("y and Enter answer one question", async () => {
    const { terminal, ran } = await openQuestion("a", "b");
    await typeSlowly(terminal, "y\r", 150);
    await sleep(500);
    expect(ran()).toEqual(["a"]);
  });

  test("an interruption gives the focus back to the draft", async () => {
    const { terminal, model } = await openQuestion("a");
    terminal.type(keys.ctrlC);
    await terminal.waitFor("Interrupted");
    await typeSlowly(terminal, "yes\r", 100);
    await until(() => model.requests.length === 2, "the message");
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe("yes");
  });

  test("a message that begins as the word of the last answer would end is whole", async () => {
    const { terminal, model } = await openQuestion("a");
    terminal.type("y");
    await terminal.waitFor("Well.");
    await typeSlowly(terminal, "explain\r", 60);
    await terminal.waitFor("Yarn.");
    expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe("explain");
  });
});

describe("a draft under way when a question appears", () => {
  test("keeps its keys, Enter included, and Tab goes to the question", async () => {
    const { terminal, ran } = await open([[touch("a")]], 1_500);
    await terminal.waitFor("thinking");
    await typeSlowly(terminal, "yes, so that it ", 40);
    await terminal.waitFor("bash waits for your answer · Tab");
    await typeSlowly(terminal, "says y\r", 100);
    await terminal.waitFor(/› yes, so that it says y +next step/);
    expect(ran()).toEqual([]);
    terminal.type(`${keys.tab}y`);
    await until(() => ran().length === 1, "the call");
  });

  test("keeps its keys if it is empty but a key came just before", async () => {
    const { terminal, ran } = await open([[touch("a")]], 1_500);
    await terminal.waitFor("thinking");
    while (!terminal.screen().includes("waits for your answer")) {
      terminal.type("x\u007f");
      await sleep(60);
    }
    terminal.type("y");
    await terminal.waitFor("› y");
    expect(ran()).toEqual([]);
  });

  test("at the start, keeps its keys from the question of trust", async () => {
    const cwd = await tempDir({ ".ikigai/tools/bash-tool": { content: "#!/bin/sh\ntouch ran\n", mode: 0o755 } });
    const HOME = await tempDir();
    const terminal = await openFullScreen(["--model", "offline"], { cwd, env: { HOME } });
    await terminal.waitFor("›");
    await typeSlowly(terminal, "yes, so that", 10);
    await terminal.waitFor(/Trust this\?|waits for your answer/);
    await sleep(300);
    expect(existsSync(join(HOME, ".ikigai/trust.json"))).toBe(false);
  });

  test("at the start, does not trust a project if its first key comes after the question", async () => {
    const cwd = await tempDir({ ".ikigai/tools/x-tool": { content: "#!/bin/sh\n", mode: 0o755 } });
    const HOME = await tempDir();
    const terminal = await openFullScreen(["--model", "offline"], { cwd, env: { HOME } });
    await terminal.waitFor("Trust this?");
    terminal.type("yes, so that\r");
    await terminal.waitFor(/Answer with y or n[\s\S]*Trust this\?.* yes, so that\n/);
    expect(existsSync(join(HOME, ".ikigai/trust.json"))).toBe(false);
    terminal.type(keys.escape);
    await terminal.waitFor(/then Enter *\n/);
    terminal.type("y\r");
    await terminal.waitFor("Trusted until one of these files changes.");
  });
});

test("the second Enter of nested lists acts at once", async () => {
  const { terminal } = await open([]);
  await terminal.waitFor("Well.");
  terminal.type("/rewind\r");
  await terminal.waitFor("type to filter");
  await sleep(100);
  const fromMs = performance.now();
  terminal.type("\r");
  await terminal.waitFor("Rewound to before this message");
  // A guard would hold it back for longer, and the machine may be busy.
  expect(performance.now() - fromMs).toBeLessThan(2_000);
});
