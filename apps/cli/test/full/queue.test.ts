// @module-tag sampled
import { readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

const slowCall = { calls: [{ name: "bash", arguments: { command: "sleep 2; echo slept" } }] };

/** A session with a call that runs for two seconds, and two answers. */
async function openRunning() {
  const full = await openFull([slowCall, { text: "First." }, { text: "Second." }], { args: ["--allow", "bash"] });
  full.terminal.type("begin\r");
  await full.terminal.waitFor(/echo slept\n {2}running/);
  return full;
}

/** A session with an answer that does not end. */
async function openHanging() {
  const cwd = await tempDir();
  const { terminal } = await openFull([{ text: "It begins", hangs: true }], { cwd });
  terminal.type("begin\r");
  await terminal.waitFor("It begins");
  return { terminal, cwd };
}

test("Enter queues a message for the next step, Alt-Enter for after the answer; both are shown", async () => {
  const { terminal, model } = await openRunning();
  terminal.type("look left\r");
  await terminal.waitFor("› look left  next step");
  terminal.type(`then right${keys.altEnter}`);
  await terminal.waitFor("› look left  next step\n› then right  after the answer");
  await terminal.waitFor("Second.");
  const screen = terminal.screen();
  expect(screen.indexOf("› look left")).toBeLessThan(screen.indexOf("First."));
  expect(screen.indexOf("First.")).toBeLessThan(screen.indexOf("› then right"));
  const [, second, third] = model.requests.map(({ messages }) => JSON.stringify(messages));
  expect(second).toContain("look left");
  expect(second).not.toContain("then right");
  expect(third).toContain("then right");
});

test("Up takes back the last queued message, and Esc all of them", async () => {
  const { terminal } = await openHanging();
  terminal.type("one\r");
  await terminal.waitFor("› one  next step");
  terminal.type("two\r");
  await terminal.waitFor("› two  next step");
  terminal.type(keys.up);
  await terminal.waitFor("› two\n─");
  expect(terminal.screen()).not.toContain("two  next step");
  terminal.type(keys.escape);
  await terminal.waitFor("› one\n  two\n─");
});

test("Esc keeps a queued command apart from the messages, which would become part of it", async () => {
  const { terminal, cwd } = await openHanging();
  terminal.type("!touch ran\r");
  await terminal.waitFor("› !touch ran  after the answer");
  terminal.type("touch this and tell me\r");
  await terminal.waitFor("› touch this and tell me  after the answer");
  terminal.type("or that");
  terminal.type(keys.escape);
  await terminal.waitFor(/Not run: !touch ran\n[\s\S]*\n› touch this and tell me\n {2}or that\n─/);
  terminal.type(`${keys.ctrlC}`);
  await terminal.waitFor(/\n›\n─/);
  expect(readdirSync(cwd)).toEqual([]);
});

test("Esc puts a command that was queued alone back into the editor", async () => {
  const { terminal } = await openHanging();
  terminal.type("/new\r");
  await terminal.waitFor("› /new  after the answer");
  terminal.type(keys.escape);
  await terminal.waitFor(/\n› \/new\n─/);
  expect(terminal.screen()).not.toContain("Not run");
});

test("a message typed after a queued command goes to the conversation that the command begins", async () => {
  const { terminal, model } = await openRunning();
  terminal.type("/new\r");
  await terminal.waitFor("› /new  after the answer");
  terminal.type("second topic\r");
  await terminal.waitFor("› second topic  after the answer");
  await terminal.waitFor("Second.");
  const { messages } = model.requests.at(-1) ?? {};
  expect(messages?.filter(({ role }) => role === "user")).toMatchObject([{ content: "second topic" }]);
});

test("a list that a queued command opens leaves the message alone that is being typed", async () => {
  const { terminal, model } = await openRunning();
  terminal.type("/rewind\r");
  await terminal.waitFor("› /rewind  after the answer");
  const typed = "please look at the tests, and then continue with what is left";
  for (const key of typed) {
    terminal.type(key);
    await sleep(60);
  }
  await terminal.waitFor("A question waits for your answer · Tab");
  // Twice, as from a key that bounces.
  terminal.type("\r");
  await sleep(150);
  terminal.type("\r");
  await terminal.waitFor(`› ${typed}  next step`);
  expect(terminal.screen()).not.toContain("Rewind to before");
  terminal.type(keys.tab);
  await terminal.waitFor("Rewind to before");
  terminal.type(keys.escape);
  await terminal.waitFor("Second.");
  expect(terminal.screen()).not.toContain("Rewound");
  expect(model.requests.at(-1)?.messages.at(-1)?.content).toBe(typed);
});
