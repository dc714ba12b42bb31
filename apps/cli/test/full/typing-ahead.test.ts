import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openFullScreen, type Terminal } from "../terminal.ts";
import { openFull, untilReadable } from "./open-full.ts";

/** Types like a user who does not look at the screen. */
async function typeSlowly(terminal: Terminal, text: string, keyMs: number): Promise<void> {
  for (const key of text) {
    terminal.type(key);
    await sleep(keyMs);
  }
}

/** A session at the question about a call that leaves a file, or about several such calls. */
async function openQuestion(calls = 1) {
  const cwd = await tempDir();
  const call = { name: "bash", arguments: { command: "touch ran" } };
  const { terminal } = await openFull([{ calls: Array(calls).fill(call) }, { text: "Well." }, { text: "Yarn." }], {
    cwd,
  });
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  return { terminal, hasRun: () => existsSync(join(cwd, "ran")) };
}

test.each([
  ["why does the test fail", 130],
  ["yes, so that", 130],
  ["my typing yields", 60],
  ["y y y", 200],
  ["nothing yet", 30],
])("the first message %j, typed ahead of the question of trust, does not answer it", async (text, keyMs) => {
  const cwd = await tempDir({ ".ikigai/tools/bash-tool": { content: "#!/bin/sh\ntouch ran\n", mode: 0o755 } });
  const HOME = await tempDir();
  const terminal = await openFullScreen(["--model", "offline"], { cwd, env: { HOME } });
  await terminal.waitFor("Trust this?");
  await typeSlowly(terminal, text, keyMs);
  await sleep(500);
  expect(existsSync(join(HOME, ".ikigai/trust.json"))).toBe(false);
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  expect(terminal.screen()).not.toContain("Trusted");
  // All of it is in the draft, and the question is still there to be answered.
  await sleep(1_500);
  terminal.type("n");
  await terminal.waitFor("Not trusted: ikigai uses none of it.");
  await terminal.waitFor(`› ${text}`);
});

test.each(["yes, so that it works", "so it is", "really", "all of them"])(
  "a message %j, begun when a question has just opened, does not answer it",
  async (text) => {
    const { terminal, hasRun } = await openQuestion(2);
    await typeSlowly(terminal, text, 100);
    await sleep(500);
    expect(hasRun()).toBe(false);
    expect(terminal.screen()).toContain("Run bash?");
  },
);

test.each(["yes, so that it works", "you forgot the tests"])(
  "an objection %j, typed when the question has been read, does not approve it",
  async (text) => {
    const { terminal, hasRun } = await openQuestion();
    await untilReadable();
    await typeSlowly(terminal, text, 60);
    await terminal.waitFor("Enter sends your text");
    expect(terminal.screen()).toMatch(new RegExp(`^› ${text}\\nEnter sends`, "m"));
    await sleep(1_500);
    terminal.type("\r");
    await sleep(1_500);
    expect(hasRun()).toBe(false);
    terminal.type("n");
    await terminal.waitFor(`› ${text}`);
  },
);

test("a paste when the question has been read goes to the draft, and the Enter after it approves nothing", async () => {
  const { terminal, hasRun } = await openQuestion();
  await untilReadable();
  terminal.type("\u001b[200~please use yarn\u001b[201~");
  await terminal.waitFor("Enter sends your text");
  // Twice, as from a key that bounces.
  terminal.type("\r");
  await sleep(120);
  terminal.type("\r");
  await sleep(1_500);
  terminal.type("\r");
  await sleep(1_000);
  expect(hasRun()).toBe(false);
  terminal.type("n");
  await terminal.waitFor("› please use yarn");
});

test("a sentence that begins again just before a question opens does not answer it", async () => {
  const cwd = await tempDir();
  const call = (command: string) => ({ calls: [{ name: "bash", arguments: { command } }] });
  const { terminal } = await openFull([call("sleep 3"), call("touch ran"), { text: "Well." }], {
    cwd,
    args: ["--allow", "bash(sleep *)"],
  });
  terminal.type("go\r");
  await terminal.waitFor("sleep 3");
  // A text is deleted several times, so that one of them is just before the question.
  for (let round = 0; round < 40 && !terminal.screen().includes("Run bash?"); round++) {
    terminal.type("no\u0015");
    await sleep(100);
  }
  for (const key of "you") {
    await sleep(400);
    terminal.type(key);
  }
  await sleep(1_500);
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  expect(terminal.screen()).toContain("Run bash?");
});

test.each(["y", "\r"])("%j after a draft was deleted is the beginning of the next one", async (key) => {
  const { terminal, hasRun } = await openQuestion();
  await untilReadable();
  await typeSlowly(terminal, "not this", 60);
  await terminal.waitFor("Enter sends your text");
  terminal.type("\u0015");
  await sleep(400);
  terminal.type(key);
  await sleep(1_500);
  expect(hasRun()).toBe(false);
  expect(terminal.screen()).toContain("Run bash?");
});

test("Enter that is held down when a question appears does not approve it", async () => {
  const cwd = await tempDir();
  const { terminal } = await openFull(
    [{ calls: [{ name: "bash", arguments: { command: "touch ran" } }] }, { text: "Well." }],
    { cwd },
  );
  terminal.type("go\r");
  await sleep(400);
  for (let n = 0; n < 60; n++) {
    terminal.type("\r");
    await sleep(33);
  }
  await terminal.waitForQuestion("Run bash?");
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  terminal.type("\r");
  await terminal.waitFor("Well.");
  expect(existsSync(join(cwd, "ran"))).toBe(true);
});

test.each(["y", "y\r"])("%j alone answers it once it can have been read", async (keys) => {
  const { terminal, hasRun } = await openQuestion();
  await sleep(600);
  terminal.type(keys);
  await terminal.waitFor("Well.");
  expect(hasRun()).toBe(true);
});

/** What is not a letter, and so may follow one in a text. */
const others = { backspace: "\u007f", left: "\u001b[D", up: "\u001b[A", home: "\u001b[H", tab: "\t", start: "\u0001" };

test.each([...Object.entries(others), ["newline", "\u001b\r"], ["paste", "\u001b[200~et more\u001b[201~"]])(
  "a letter and then %s answer nothing",
  async (_, key) => {
    const { terminal, hasRun } = await openQuestion();
    await sleep(150);
    terminal.type("y");
    await sleep(50);
    terminal.type(key);
    await sleep(800);
    expect(hasRun()).toBe(false);
    expect(terminal.screen()).toContain("Run bash?");
  },
);

test("a letter and then Esc stop the turn", async () => {
  const { terminal, hasRun } = await openQuestion();
  terminal.type("y");
  await sleep(50);
  terminal.type("\u001b");
  await terminal.waitFor("Interrupted");
  expect(hasRun()).toBe(false);
});
