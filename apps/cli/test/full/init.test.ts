// @module-tag sampled
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { until } from "../ikigai.ts";
import { startModel } from "../model-server.ts";
import { openTerminal } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

const file = "# Shop\n\nSells things.\n";
const look = { calls: [{ name: "glob", arguments: { pattern: "*" } }] };

test("/init shows AGENTS.md and writes it after a yes; the conversation does not contain it", async () => {
  const cwd = await tempDir({ "a.txt": "a" });
  const { terminal, model } = await openFull([look, { text: file }, { text: "Hello." }], { cwd });
  terminal.type("/init\r");
  const screen = await terminal.waitFor(/Write AGENTS\.md\?/);
  expect(screen).toContain("glob  *");
  expect(screen).toContain("Sells things.");
  expect(existsSync(join(cwd, "AGENTS.md"))).toBe(false);
  terminal.type("y\r");
  await terminal.waitFor("Wrote AGENTS.md.");
  expect(readFileSync(join(cwd, "AGENTS.md"), "utf8")).toBe(file);
  terminal.type("hi\r");
  await terminal.waitFor("Hello.");
  const [, , request] = model.requests;
  expect(request?.messages.map(({ role }) => role)).toEqual(["system", "user"]);
  // From the next message on the model has it.
  expect(JSON.stringify(request?.messages[0])).toContain("Sells things.");
});

test("Esc stops /init, and a no writes nothing", async () => {
  const cwd = await tempDir();
  const { terminal, model } = await openFull([{ text: "# Shop", hangs: true }, { text: file }], { cwd });
  terminal.type("/init\r");
  await until(() => model.requests.length === 1, "the request");
  terminal.type(keys.escape);
  await terminal.waitFor("Interrupted. Nothing was written.");
  terminal.type("/init\r");
  await terminal.waitFor(/Write AGENTS\.md\?/);
  terminal.type("n\r");
  await terminal.waitFor(/Nothing was written\.[\s\S]*Nothing was written\./);
  expect(existsSync(join(cwd, "AGENTS.md"))).toBe(false);
});

test("in lines /init asks as well", async () => {
  const cwd = await tempDir();
  const { env } = await startModel([look, { text: file }]);
  const terminal = await openTerminal(["--model", "openai-compatible/m"], { cwd, env });
  await terminal.waitForPrompt();
  terminal.type("/init\r");
  await terminal.waitFor(/Write AGENTS\.md\? {3}y yes/);
  terminal.type("y\r");
  await terminal.waitFor("Wrote AGENTS.md.");
  expect(readFileSync(join(cwd, "AGENTS.md"), "utf8")).toBe(file);
});
