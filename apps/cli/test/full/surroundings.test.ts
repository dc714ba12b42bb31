import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { startModel } from "../model-server.ts";
import { openFullScreen } from "../terminal.ts";
import { openFull } from "./open-full.ts";

test("the user's and the project's AGENTS.md are told to the model, nearer ones last", async () => {
  const home = await tempDir({ ".ikigai/AGENTS.md": "I like tabs." });
  const cwd = await tempDir({ ".git/HEAD": "ref: refs/heads/main\n", "AGENTS.md": "Root says.", "CLAUDE.md": "No." });
  const { terminal, model } = await openFull([{ text: "Understood." }], { cwd, env: { HOME: home } });
  terminal.type("go\r");
  await terminal.waitFor("Understood.");
  const system = String(model.requests[0]?.messages[0]?.content);
  expect(system).toMatch(/I like tabs\.[\s\S]*Root says\./);
  expect(system).not.toContain("No.");
});

test("a project's commands are there once it is trusted, and not before", async () => {
  const cwd = await tempDir({ ".ikigai/commands/ship.md": "Ship $1 now." });
  const { terminal, model } = await openFull([{ text: "Shipped." }], { cwd });
  await terminal.waitFor("Trust this?");
  terminal.type("y");
  await terminal.waitFor(/is trusted|Trusted/);
  terminal.type("/shi");
  await terminal.waitFor("(project)");
  terminal.type("p it\r");
  await terminal.waitFor("Shipped.");
  expect(model.requests[0]?.messages.at(-1)?.content).toBe("Ship it now.");
});

test("the footer tells what it cost where the price is known", async () => {
  // The server has only the chat API, and is asked for the other one first.
  const { env } = await startModel([{ text: "?" }, { text: "Not cheap." }]);
  const { OPENAI_COMPATIBLE_BASE_URL: url = "" } = env;
  const terminal = await openFullScreen(["--model", "openai/gpt-5"], {
    env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: "sk-test-not-a-key" },
  });
  await terminal.waitFor(/openai\/gpt-5$/);
  terminal.type("go\r");
  await terminal.waitFor("Not cheap.");
  await terminal.waitFor(/context 0 % · 110 tokens · \$0\.00\d · openai\/gpt-5/);
});
