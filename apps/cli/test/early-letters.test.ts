import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { askingHome } from "./asking-home.ts";
import { until } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

/** Line mode while a model takes its time to call a command, which needs a question. */
async function openWaiting() {
  const call = { name: "bash", arguments: { command: "touch ran" } };
  const { env, requests } = await startModel([{ calls: [call], waitMs: 1_500 }, { text: "Fine." }, { text: "Yes." }]);
  const cwd = await tempDir();
  const terminal = await openTerminal(["--model", "openai-compatible/m"], {
    cwd,
    env: { HOME: await askingHome(), ...env },
  });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await until(() => requests.length === 1, "the request");
  return { terminal, requests, hasRun: () => existsSync(join(cwd, "ran")) };
}

test("a line typed before a question does not answer it, and is the next message", async () => {
  const { terminal, requests, hasRun } = await openWaiting();
  terminal.type("y\r");
  await terminal.waitForQuestion("Run it?");
  terminal.type("n\r");
  await until(() => requests.length === 3, "the next message");
  expect(hasRun()).toBe(false);
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe("y");
});

test("a letter typed before a question begins the next message, and Enter alone does not approve", async () => {
  const { terminal, requests, hasRun } = await openWaiting();
  terminal.type("y");
  await terminal.waitFor("Run it?");
  terminal.type("\r");
  await terminal.waitForQuestion("Expected one of");
  terminal.type("n\r");
  await terminal.waitFor("› y");
  expect(hasRun()).toBe(false);
  await until(() => requests.length === 3, "the next message");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe("y");
});

test.each([
  ["ye", "s", 80],
  ["ye", "s", 1_500],
  ["run all the tests and tell me wh", "y", 300],
  ["look at the pass", "word file", 2_500],
])("%j before a question and %j %d ms after it are one message, and no answer", async (begun, end, ms) => {
  const { terminal, requests, hasRun } = await openWaiting();
  terminal.type(begun);
  await terminal.waitFor("Run it?");
  await sleep(ms);
  terminal.type(`${end}\r`);
  await terminal.waitForQuestion(
    "This began before the question, so it is kept as your next message.\nExpected one of",
  );
  expect(hasRun()).toBe(false);
  terminal.type("n\r");
  await until(() => requests.length === 3, "the next message");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe(begun + end);
});

test("a letter long after the question answers it, although a message was begun", async () => {
  const { terminal, hasRun } = await openWaiting();
  terminal.type("run");
  await terminal.waitFor("Run it?");
  await sleep(2_100);
  terminal.type("y\r");
  await until(hasRun, "the command");
  await terminal.waitFor("› run");
});

test("a line sooner than anyone can have read the question is no answer", async () => {
  const { terminal, hasRun } = await openWaiting();
  await terminal.waitFor("Run it?");
  terminal.type("y\r");
  await terminal.waitForQuestion("Expected one of");
  expect(hasRun()).toBe(false);
  terminal.type("y\r");
  await until(hasRun, "the command");
});

test("after a suspension the question is asked again, and a line for the shell is no answer", async () => {
  const { terminal, hasRun } = await openWaiting();
  await terminal.waitForQuestion("Run it?");
  process.kill(terminal.pid, "SIGCONT");
  await terminal.waitFor("Expected one of");
  terminal.type("y\r");
  await terminal.waitForQuestion(/Expected one of [\s\S]*Expected one of /);
  expect(hasRun()).toBe(false);
  terminal.type("y\r");
  await until(hasRun, "the command");
});

test("Ctrl-C discards what has been set aside, as it discards a line", async () => {
  const { terminal, requests } = await openWaiting();
  terminal.type("y");
  await terminal.waitFor("Run it?");
  // Sooner, it could be the end of the message.
  await sleep(2_100);
  terminal.type("n\r");
  await terminal.waitFor("› y");
  terminal.type("\u0003");
  await terminal.waitFor("Ctrl-C again");
  await terminal.waitForPrompt();
  terminal.type("again\r");
  await until(() => requests.length === 3, "the next message");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe("again");
});
