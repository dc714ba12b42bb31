import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

test("opens with who is there, which model, where, and a prompt", async () => {
  const cwd = await tempDir();
  const terminal = await openTerminal([], { cwd });
  await terminal.waitForPrompt();
  expect(terminal.screen()).toBe(`ikigai 0.1.0   offline/plain-requests   ${cwd}   /help
No language model is set up: only plain requests are understood, for instance: run npm test (help
lists them). For a model: set ANTHROPIC_API_KEY (or OPENAI_API_KEY, GEMINI_API_KEY), set
OPENAI_COMPATIBLE_BASE_URL, or start Ollama.

›`);
  terminal.type("\u0004");
  expect(await terminal.exitCode).toBe(0);
});

test("shows answers, calls with their scope, and the ends of a long output", async () => {
  const { env } = await startModel([
    { text: "I look first.", calls: [{ name: "bash", arguments: { command: "seq 1 30; exit 3" } }] },
    { text: "Thirty lines." },
  ]);
  const terminal = await openTerminal(["--model", "openai-compatible/m", "--allow", "bash"], { env });
  await terminal.waitForPrompt();
  terminal.type("look\r");
  await terminal.waitFor("Thirty lines.");
  await terminal.waitForPrompt();
  expect(terminal.steadyScreen().split("\n").slice(2).join("\n")).toBe(`› look

I look first.

● bash  seq 1 30; exit 3
  1
  2
  3
  4
  … 23 lines
  28
  29
  30
  exit 3 · N ms

Thirty lines.

›`);
});
