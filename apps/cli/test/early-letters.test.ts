// Promise 5 of SECURITY.md.
// @module-tag sampled
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { askingHome } from "./asking-home.ts";
import { until } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

const command = { name: "bash", arguments: { command: "touch ran" } };

/** Line mode while a model takes its time to call a command, which needs a question. */
async function openWaiting(call: { name: string; arguments: object } = command) {
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
  await terminal.waitFor("Run it?");
  terminal.type("n\r");
  await until(() => requests.length === 3, "the next message");
  expect(hasRun()).toBe(false);
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe("y");
});

test.each([
  ["yes", true, undefined],
  ["y", true, undefined],
  ["no", false, "The user denied this call."],
  ["no, use pnpm", false, "The user denied this call and says: use pnpm"],
])("%j is an answer", async (line, runs, told) => {
  const { terminal, requests, hasRun } = await openWaiting();
  await terminal.waitFor("Run it?");
  terminal.type(`${line}\r`);
  await terminal.waitFor("Fine.");
  expect(hasRun()).toBe(runs);
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain(told ?? "exit_code");
});

test.each([
  ["look at the pass", "word file\r"],
  ["", "yes, so that it works\r"],
  ["one:\\\r", "two\r"],
  ["", "the answer is:\\\ry\r"],
])("%j before a question and %j after it are a message, and no answer", async (begun, end) => {
  const { terminal, requests, hasRun } = await openWaiting();
  terminal.type(begun);
  await terminal.waitFor("Run it?");
  for (const line of end.split(/(?<=\r)/)) {
    terminal.type(line);
    // Together, they would be a paste.
    await sleep(100);
  }
  await terminal.waitFor("This is no answer, so it is kept as your next message.\nExpected one of");
  expect(hasRun()).toBe(false);
  terminal.type("n\r");
  await until(() => requests.length === 3, "the next message");
  const whole = `${begun}${end}`.replaceAll("\\\r", "\n").trimEnd();
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe(whole);
});

test("a line is the answer to a question for text", async () => {
  const { terminal, requests } = await openWaiting({ name: "ask_user", arguments: { question: "Which directory?" } });
  await terminal.waitFor("Your answer");
  terminal.type("dist\r");
  await until(() => requests.length === 2, "the answer");
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("dist");
});

test("after a suspension the question is asked again", async () => {
  const { terminal, hasRun } = await openWaiting();
  await terminal.waitFor("Run it?");
  process.kill(terminal.pid, "SIGCONT");
  await terminal.waitFor("Expected one of");
  terminal.type("y\r");
  await until(hasRun, "the command");
});
