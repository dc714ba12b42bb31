import { existsSync } from "node:fs";
import { join } from "node:path";
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
  terminal.type("\r");
  await until(() => requests.length === 3, "the next message");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe("y");
});

test("Ctrl-C discards what has been set aside, as it discards a line", async () => {
  const { terminal, requests } = await openWaiting();
  terminal.type("y");
  await terminal.waitFor("Run it?");
  terminal.type("n\r");
  await terminal.waitFor("› y");
  terminal.type("\u0003");
  await terminal.waitFor("Ctrl-C again");
  await terminal.waitForPrompt();
  terminal.type("again\r");
  await until(() => requests.length === 3, "the next message");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe("again");
});
