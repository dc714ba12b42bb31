import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { keys, openFull, untilReadable } from "./open-full.ts";

const run = { name: "bash", arguments: { command: "touch ran" } };
const ask = { name: "ask_user", arguments: { question: "Which directory may I delete?" } };
const files = { "src/main.ts": "", "src/mail.ts": "", "src/map.ts": "" };

const slowly = (text: string, ms: number) => [...text].flatMap((key) => [key, ms]);

/** A session whose model waits before its call, which needs an answer. */
async function openWaiting(call: typeof run | typeof ask = run, waitMs = 1_500) {
  const cwd = await tempDir(files);
  const steps = [{ calls: [call], waitMs }, { text: "Well." }];
  const { terminal, model } = await openFull(steps, { cwd });
  terminal.type("go\r");
  await terminal.waitFor("thinking");
  const press = async (...all: (string | number)[]) => {
    for (const key of all) await (typeof key === "number" ? sleep(key) : Promise.resolve(terminal.type(key)));
  };
  const lastSent = () => model.requests.at(-1)?.messages.at(-1)?.content;
  return { terminal, press, lastSent, hasRun: () => existsSync(join(cwd, "ran")) };
}

test("Tab completes the draft over a question, and Enter after it approves nothing", async () => {
  const { terminal, press, hasRun } = await openWaiting(run, 0);
  await terminal.waitFor("Run bash?");
  await untilReadable();
  await press(...slowly("look at @src/map", 60), 1_000, keys.tab, 300, keys.tab, 300, keys.enter, 1_000);
  expect(hasRun()).toBe(false);
  // The text is sent, so a letter answers.
  await press("y");
  await terminal.waitFor(/› look at @src\/map\.ts\n[\s\S]*Well\./);
  expect(hasRun()).toBe(true);
});

test.each([
  ["look at @src/ma", [250, keys.down, 150, keys.down, 300, keys.enter]],
  ["look at @src/ma", [400, keys.down, 200, keys.enter]],
  ["", [30, keys.down, 550, keys.enter]],
])("with the draft %j, arrows meant for the editor choose no answer: %j", async (draft, pressed) => {
  const { terminal, press, hasRun } = await openWaiting();
  await press(draft, 100);
  await terminal.waitFor("Run bash?");
  await press(...pressed, 1_500);
  expect(hasRun()).toBe(false);
  expect(terminal.screen()).toContain("› y  once");
  await press(keys.down, keys.up, keys.enter);
  await terminal.waitFor("Well.");
  expect(hasRun()).toBe(true);
});

test("the end of a message, long after a question appeared, does not approve the call", async () => {
  const { terminal, press, hasRun } = await openWaiting();
  await press("look at the director");
  await terminal.waitFor("Run bash?");
  await press(3_000, "y", 100, keys.enter, 1_500);
  expect(hasRun()).toBe(false);
  await press("n");
  await terminal.waitFor("› look at the directory");
});

test("a message continues after a pause, although a question for text has appeared", async () => {
  const { terminal, press, lastSent } = await openWaiting(ask);
  await press("look at");
  await terminal.waitFor("After up or down, you write the answer.");
  await press(2_000, ...slowly(" the tests", 80), 1_000, keys.enter);
  await press(1_500, "dist\r");
  await terminal.waitFor(/› look at the tests\n[\s\S]*Well\./);
  expect(lastSent()).toContain("look at the tests");
  expect(terminal.screen()).toMatch(/Which directory may I delete\? {2}dist\n/);
});

test("after up or down, a typed text answers a question for text, and the draft is kept", async () => {
  const { terminal, press } = await openWaiting(ask);
  await press("look at");
  await terminal.waitFor("After up or down, you write the answer.");
  await press(1_000, keys.down, "dist", 100, keys.enter);
  await terminal.waitFor(/Which directory may I delete\? {2}dist\n[\s\S]*Well\.[\s\S]*› look at\n/);
});

test.each([33, 170])("Enter that is held down and repeats every %d ms approves nothing", async (ms) => {
  const { terminal, press, hasRun } = await openWaiting(run, 0);
  await press(500);
  for (let heldMs = 0; heldMs < 4_000; heldMs += ms) await press(keys.enter, ms);
  await terminal.waitForQuestion("Run bash?");
  await sleep(600);
  expect(hasRun()).toBe(false);
  await press(keys.enter);
  await terminal.waitFor("Well.");
  expect(hasRun()).toBe(true);
});
