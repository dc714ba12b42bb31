import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { startModel } from "../model-server.ts";
import { openFullScreen } from "../terminal.ts";

test("/login stores a key with the questions of ikigai login, and the next request has it", async () => {
  const { env, requests } = await startModel([{ text: "Fine." }, { text: "Also fine." }], { contextWindow: 10_000 });
  const HOME = await tempDir();
  const terminal = await openFullScreen(["--model", "openai-compatible/m"], { env: { HOME, ...env } });
  await terminal.waitFor(/openai-compatible\/m$/);
  terminal.type("hello\r");
  await terminal.waitFor("Fine.");
  terminal.type("/login openai-compatible\r");
  await terminal.waitFor(/API key for the OpenAI-compatible server/);
  terminal.type("sk-test-0123456789abcdef\r");
  await terminal.waitFor("Logged in. Model: openai-compatible/m. To use another: /model");
  terminal.type("again\r");
  await terminal.waitFor("Also fine.");
  expect(requests.map(({ authorization }) => authorization).at(-1)).toBe("Bearer sk-test-0123456789abcdef");
});
