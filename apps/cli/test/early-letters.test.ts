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

test("a letter typed before a question begins the next message, and Enter alone does not approve", async () => {
  const { terminal, requests, hasRun } = await openWaiting();
  terminal.type("y");
  await terminal.waitFor("Run it?");
  terminal.type("\r");
  await terminal.waitFor("Expected one of");
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
  await terminal.waitFor(
    "This began before the question, so it is kept as your next message.\nExpected one of",
  );
  expect(hasRun()).toBe(false);
  terminal.type("n\r");
  await until(() => requests.length === 3, "the next message");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe(begun + end);
});

test("the first line after a question ends a message that was begun, however late, and the next one answers", async () => {
  const { terminal, requests, hasRun } = await openWaiting();
  terminal.type("run");
  await terminal.waitFor("Run it?");
  await sleep(6_000);
  terminal.type("y\r");
  await terminal.waitFor("kept as your next message.\nExpected one of");
  expect(hasRun()).toBe(false);
  terminal.type("y\r");
  await until(hasRun, "the command");
  await until(() => requests.length === 3, "the next message");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe("runy");
});

test.each([
  ["the answer is:\\\r", ["y\r"], "the answer is:\ny"],
  ["the answer is:\\", ["\r", "y\r"], "the answer is:\ny"],
  ["one\\\rtwo", [", as I said\\\r", "\r"], "one\ntwo, as I said"],
])("%j before a question continues with the lines %j after it, none of which answers", async (begun, lines, whole) => {
  const { terminal, requests, hasRun } = await openWaiting();
  terminal.type(begun);
  for (const [index, line] of lines.entries()) {
    await terminal.waitFor(index === 0 ? "Run it?" : /Expected one of.*:$/);
    terminal.type(line);
  }
  await terminal.waitFor(new RegExp(`(kept as your next message[\\s\\S]*){${lines.length}}`));
  expect(hasRun()).toBe(false);
  terminal.type("n\r");
  await until(() => requests.length === 3, "the next message");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe(whole);
});

test("a message of several lines that begins at the question answers nothing, and stays whole", async () => {
  const { terminal, requests, hasRun } = await openWaiting();
  await terminal.waitFor("Run it?");
  terminal.type("not this:\\\r");
  await terminal.waitFor("This continues on the next line, so it is kept as your next message.");
  terminal.type("y\r");
  await terminal.waitFor("This began before the question");
  expect(hasRun()).toBe(false);
  terminal.type("y\r");
  await until(hasRun, "the command");
  await until(() => requests.length === 3, "the next message");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe("not this:\ny");
});

test("the lines of a paste stay in order around a question, and the letter among them is no answer", async () => {
  const { terminal, requests, hasRun } = await openWaiting();
  terminal.type("one\\\r");
  await terminal.waitFor("Run it?");
  terminal.type("two\\\rthree\r");
  await terminal.waitFor("kept as your next message");
  terminal.type("no, stop\ry\r");
  await terminal.waitFor(/(Expected one of[\s\S]*){2}/);
  expect(hasRun()).toBe(false);
  terminal.type("n\r");
  await until(() => requests.length === 3, "the next message");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe("one\ntwo\nthree");
});

const question = { name: "ask_user", arguments: { question: "Which directory?" } };
const isEnd = "You were typing a message. Was this   a the answer   m the end of the message";

test("the last line of a message is the answer to a question for text only if the user says so", async () => {
  for (const [letter, answer, message] of [
    ["m", "dist", "look at:\nsrc/main"],
    ["a", "src/main", "look at:\nrest"],
  ] as const) {
    const { terminal, requests } = await openWaiting(question);
    terminal.type("look at:\\\r");
    await terminal.waitFor("Your answer");
    terminal.type("src/main\r");
    await terminal.waitFor(isEnd);
    terminal.type(`${letter}\r`);
    if (letter === "m") {
      await terminal.waitFor(/kept as your next message[\s\S]*Your answer/);
      terminal.type("dist\r");
    }
    await until(() => requests.length >= 2, "the answer");
    expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain(answer);
    if (letter === "a") terminal.type("rest\r");
    await until(() => requests.length === 3, "the next message");
    expect(requests.at(-1)?.messages.at(-1)?.content).toBe(message);
  }
});

test("a text that is pasted as a question for text appears does not answer it", async () => {
  const { terminal, requests } = await openWaiting(question);
  await terminal.waitFor("Your answer");
  terminal.type("secret notes\r");
  await terminal.waitFor(/kept as your next message[\s\S]*Your answer/);
  terminal.type("dist\r");
  await until(() => requests.length === 3, "the next message");
  expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("dist");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe("secret notes");
});

test("a line sooner than anyone can have read the question is no answer", async () => {
  const { terminal, hasRun } = await openWaiting();
  await terminal.waitFor("Run it?");
  terminal.type("y\r");
  await terminal.waitFor("Expected one of");
  expect(hasRun()).toBe(false);
  terminal.type("y\r");
  await until(hasRun, "the command");
});

test("after a suspension the question is asked again, and a line for the shell is no answer", async () => {
  const { terminal, hasRun } = await openWaiting();
  await terminal.waitFor("Run it?");
  process.kill(terminal.pid, "SIGCONT");
  await terminal.waitFor("Expected one of");
  terminal.type("y\r");
  await terminal.waitFor(/Expected one of [\s\S]*Expected one of /);
  expect(hasRun()).toBe(false);
  terminal.type("y\r");
  await until(hasRun, "the command");
});

test("Ctrl-C discards what has been set aside, as it discards a line", async () => {
  const { terminal, requests } = await openWaiting();
  terminal.type("y");
  await terminal.waitFor("Run it?");
  terminal.type("\u0003");
  await terminal.waitFor("› y");
  terminal.type("\u0003");
  await terminal.waitFor("Ctrl-C again");
  await terminal.waitForPrompt();
  terminal.type("again\r");
  await until(() => requests.length === 2, "the next message");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe("again");
});
