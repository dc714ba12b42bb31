// @module-tag sampled
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { askingHome } from "./asking-home.ts";
import { bin, until } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

const ctrlC = "\u0003";
const ctrlD = "\u0004";
const ctrlZ = "\u001a";
const ctrlBackslash = "\u001c";

/** A terminal in which bash is busy with a long sleep. */
async function openBusy(command = "echo begun; echo $$ > pid; sleep 60") {
  const cwd = await tempDir();
  const home = await tempDir();
  const terminal = await openTerminal(["--allow", "bash"], { cwd, env: { HOME: home } });
  await terminal.waitForPrompt();
  terminal.type(`run ${command}\r`);
  await until(() => readdirSync(cwd).includes("pid") && readFileSync(join(cwd, "pid"), "utf8") !== "", "the command");
  return { terminal, home, pid: Number(readFileSync(join(cwd, "pid"), "utf8")) };
}

/** The event types of the only session. */
function logged(home: string): { type: string; json?: string }[] {
  const directory = join(home, ".ikigai/sessions");
  const [name = ""] = readdirSync(directory).filter((file) => file.endsWith(".jsonl"));
  return readFileSync(join(directory, name), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

test("Ctrl-C stops a call, and keeps the session and the output so far", async () => {
  const { terminal, home, pid } = await openBusy();
  terminal.type(ctrlC);
  await terminal.waitFor("Interrupted.");
  await terminal.waitForPrompt();
  expect(terminal.screen()).toContain("^C\n  begun\n  stopped · ");
  expect(isRunning(pid)).toBe(false);
  terminal.type("run echo still here\r");
  await terminal.waitFor(/exit 0.*\nstill here/s);
  const results = logged(home).filter(({ type }) => type === "tool_result");
  expect(results.map(({ json = "{}" }) => JSON.parse(json).tool_success)).toEqual([false, true]);
});

test("Ctrl-C stops an answer and keeps the text so far", async () => {
  const { env, requests } = await startModel([{ text: "It begins", hangs: true }, { text: "Fine." }]);
  const terminal = await openTerminal(["--model", "openai-compatible/m"], { env });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await terminal.waitFor("It begins");
  terminal.type(ctrlC);
  await terminal.waitFor("Interrupted.");
  terminal.type("again\r");
  await terminal.waitFor("Fine.");
  expect(JSON.stringify(requests[1]?.messages)).toContain("It begins");
});

test("Ctrl-C discards a line; twice on an empty line quits", async () => {
  const terminal = await openTerminal();
  await terminal.waitForPrompt();
  terminal.type("some words");
  await terminal.waitFor("› some words");
  terminal.type(ctrlC);
  await terminal.waitFor("› some words^C\nCtrl-C again, or Ctrl-D, to quit\n›");
  terminal.type("help\r");
  await terminal.waitFor("I am the built-in interpreter");
  await terminal.waitForPrompt();
  terminal.type(ctrlC);
  await terminal.waitFor(/to quit\n› \S.*to quit\n›$/s);
  terminal.type(ctrlC);
  expect(await terminal.exitCode).toBe(0);
});

test("Ctrl-D and /quit quit", async () => {
  for (const keys of [ctrlD, "/quit\r"]) {
    const terminal = await openTerminal();
    await terminal.waitForPrompt();
    terminal.type(keys);
    expect(await terminal.exitCode).toBe(0);
  }
});

test("keeps input typed during a call for the next prompt", async () => {
  const terminal = await openTerminal(["--allow", "bash"]);
  await terminal.waitForPrompt();
  terminal.type("run sleep 0.5\r");
  await terminal.waitFor("● bash");
  terminal.type("/model\rhalf and h");
  await terminal.waitFor("Model: offline/plain-requests");
  terminal.type("alf\r");
  await terminal.waitFor('I do not understand "half and half"');
});

test("Ctrl-C stops a call and loses no line that was finished before it", async () => {
  const { terminal, pid } = await openBusy();
  terminal.type("run echo after-$((40+2))\rnot finished");
  await terminal.waitFor("not finished");
  terminal.type(ctrlC);
  await terminal.waitFor(/Interrupted\..*› run echo after-.*\nafter-42\n/s);
  expect(isRunning(pid)).toBe(false);
  terminal.type("help\r");
  await terminal.waitFor("I am the built-in interpreter");
});

test("a backslash at the end of a line continues it on the next", async () => {
  const { env, requests } = await startModel([]);
  const terminal = await openTerminal(["--model", "openai-compatible/m"], { env });
  await terminal.waitForPrompt();
  terminal.type("one\\\r");
  await terminal.waitFor(/› one\\\n·$/);
  terminal.type("two\r");
  await terminal.waitFor("Done.");
  expect(terminal.screen()).toContain("› one\\\n· two");
  expect(requests[0]?.messages.at(-1)?.content).toEqual("one\ntwo");
});

test("Ctrl-C discards all lines of a continued message", async () => {
  const { env, requests } = await startModel([]);
  const terminal = await openTerminal(["--model", "openai-compatible/m"], { env });
  await terminal.waitForPrompt();
  terminal.type("one\\\r");
  await terminal.waitFor(/·$/);
  terminal.type(ctrlC);
  await terminal.waitFor(/to quit\n›$/);
  terminal.type("two\r");
  await terminal.waitFor("Done.");
  expect(requests[0]?.messages.at(-1)?.content).toEqual("two");
});

test("nothing in a paste runs: it is one message, sent with Enter", async () => {
  const { env, requests } = await startModel([{ text: "Read." }, { text: "Sent." }]);
  const cwd = await tempDir();
  const terminal = await openTerminal(["--model", "openai-compatible/m"], { cwd, env });
  await terminal.waitForPrompt();
  terminal.type("to do:\r!touch pwned\r/quit\rlast");
  await terminal.waitFor("Pasted 3 lines. Enter sends them, Ctrl-C discards them.");
  terminal.type(" line\r");
  await terminal.waitFor("Read.");
  terminal.type("!touch pwned\rone\r");
  await terminal.waitFor("Pasted 2 lines.");
  terminal.type(ctrlC);
  await terminal.waitFor(/to quit\n›$/);
  terminal.type("two\r");
  await terminal.waitFor("Sent.");
  expect(existsSync(join(cwd, "pwned"))).toBe(false);
  expect(requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
    "to do:\n!touch pwned\n/quit\nlast line",
    "two",
  ]);
  expect(terminal.raw()).not.toContain("\u001b[?2004h");
});

test("a paste is no answer to a question", async () => {
  const { env } = await startModel([
    { calls: [{ name: "bash", arguments: { command: "touch pwned" } }] },
    { text: "Over." },
  ]);
  const cwd = await tempDir();
  const HOME = await askingHome();
  const terminal = await openTerminal(["--model", "openai-compatible/m"], { cwd, env: { ...env, HOME } });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await terminal.waitFor("Run it?");
  terminal.type("y\ry\r");
  await terminal.waitFor("This is no answer, so it is kept as your next message.");
  expect(existsSync(join(cwd, "pwned"))).toBe(false);
  terminal.type("n\r");
  await terminal.waitFor("Pasted 2 lines.");
});

test.runIf(process.platform === "linux").each([
  [4_094, 4_094, false],
  [4_096, 4_095, true],
  [1_000_000, 4_095, true],
])("reads of a line of %i bytes %i, and warns that it may be cut: %s", async (typed, read, isTold) => {
  const { env, requests } = await startModel([]);
  const terminal = await openTerminal(["--model", "openai-compatible/m"], { env });
  await terminal.waitForPrompt();
  terminal.type(`${"x".repeat(typed)}\r`);
  await terminal.waitFor("Done.");
  expect(String(requests[0]?.messages.at(-1)?.content)).toHaveLength(read);
  expect(terminal.screen().includes("The terminal may have truncated this line")).toBe(isTold);
});

test("Ctrl-Z gives the terminal back, fg takes it again", async () => {
  const terminal = await openTerminal([], { command: ["bash", "--norc", "-i"], env: { PS1: "shell$ " } });
  await terminal.waitFor("shell$");
  terminal.type(`${process.execPath} ${bin} --plain\r`);
  await terminal.waitForPrompt();
  terminal.type("half");
  await terminal.waitFor("› half");
  terminal.type(ctrlZ);
  await terminal.waitFor("Stopped");
  terminal.type("stty -a | grep -o ' icanon'; fg\r");
  await terminal.waitFor(/\n icanon/);
  // The terminal discards the input and shows the prompt again.
  await terminal.waitForPrompt();
  terminal.type("half and half\r");
  await terminal.waitFor('I do not understand "half and half"');
});

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGQUIT", 131],
] as const)("%s ends running calls and exits with %i", async (signal, code) => {
  const { terminal, home, pid } = await openBusy();
  terminal.kill(signal);
  expect(await terminal.exitCode).toBe(code);
  expect(isRunning(pid)).toBe(false);
  const types = logged(home).map(({ type }) => type);
  expect(types.filter((type) => type === "tool_result")).toHaveLength(1);
  expect(types.at(-1)).toBe("turn_end");
});

test("Ctrl-\\ ends it", async () => {
  const { terminal, pid } = await openBusy();
  terminal.type(ctrlBackslash);
  expect(await terminal.exitCode).toBe(131);
  expect(isRunning(pid)).toBe(false);
});

test("a closed window ends it and running calls", async () => {
  const { terminal, pid } = await openBusy();
  terminal.hangUp();
  await until(() => !isRunning(terminal.pid) && !isRunning(pid), "the end");
});

test("survives a storm of size changes", async () => {
  const terminal = await openTerminal();
  await terminal.waitForPrompt();
  terminal.type("a line that is there");
  for (const [columns, rows] of [
    [1, 1],
    [10_000, 2],
    [20, 5],
    [3, 300],
    [100, 40],
  ] as const) {
    terminal.resize(columns, rows);
    await new Promise((settle) => setTimeout(settle, 30));
  }
  terminal.type("\u0015/model\r");
  await terminal.waitFor("Model: offline/plain-requests");
});
