import { existsSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { askingHome } from "./asking-home.ts";
import { until } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

test("in line mode, a letter typed before a question begins the next message, and Enter alone does not approve", async () => {
  const call = { name: "bash", arguments: { command: "touch ran" } };
  const { env, requests } = await startModel([{ calls: [call], waitMs: 1_000 }, { text: "Fine." }, { text: "Yes." }]);
  const cwd = await tempDir();
  const terminal = await openTerminal(["--model", "openai-compatible/m"], {
    cwd,
    env: { HOME: await askingHome(), ...env },
  });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await until(() => requests.length === 1, "the request");
  terminal.type("y");
  await terminal.waitFor("Run it?");
  terminal.type("\r");
  await terminal.waitFor("Expected one of");
  terminal.type("n\r");
  await terminal.waitFor("› y");
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  terminal.type("es, go on\r");
  await until(() => requests.length === 3, "the next message");
  expect(requests.at(-1)?.messages.at(-1)?.content).toBe("yes, go on");
});
