// @module-tag sampled
import type { FailureEnvelope } from "@ikigai/protocol";
import { expect, test } from "vitest";
import { keys, openFull } from "./full/open-full.ts";
import { type SentRequest, startModel } from "./model-server.ts";
import { openTerminal } from "./terminal.ts";

const command = "seq 1 2000; sleep 60";
const call = (args: object) => ({ calls: [{ name: "bash", arguments: { command, ...args } }] });
const lastLines = "\n  … earlier output\n  1994\n  1995\n  1996\n  1997\n  1998\n  1999\n  2000\n";

/** The result that the model gets for the call. */
function envelopeIn(request: SentRequest | undefined): FailureEnvelope {
  return JSON.parse(String(request?.messages.findLast(({ role }) => role === "tool")?.content));
}

function expectLines({ stdout }: FailureEnvelope): void {
  expect(stdout).toMatch(/^1\n2\n3\n(\d+\n)*… \d+ bytes left out …\n(\d+\n)*1999\n2000$/);
}

test("the full screen shows the last lines of a stopped call, and Ctrl-O more of them", async () => {
  const { terminal, model } = await openFull([call({}), { text: "Well." }], { args: ["--allow", "bash"] });
  terminal.type("go\r");
  await terminal.waitFor(/ {2}2000\n {2}\d+ s/);
  terminal.type(keys.escape);
  const screen = await terminal.waitFor("Interrupted.");
  expect(screen).toContain(lastLines.replace("output", "output   ctrl-o"));
  expect(screen).toMatch(/\n {2}2000\n {2}stopped · /);
  expect(screen).not.toContain('"output"');
  terminal.type(keys.ctrlO);
  await terminal.waitFor(/ {2}1970\n[\s\S]* {2}2000\n/);
  terminal.type("q");
  terminal.type("go on\r");
  await terminal.waitFor("Well.");
  expectLines(envelopeIn(model.requests[1]));
});

test("a stopped command behind ! shows its last lines, and the model gets them as lines", async () => {
  const { terminal, model } = await openFull([{ text: "Well." }]);
  terminal.type(`!${command}\r`);
  await terminal.waitFor(/ {2}2000\n {2}\d+ s/);
  terminal.type(keys.escape);
  const screen = await terminal.waitFor(/\n {2}2000\n {2}stopped · /);
  expect(screen).toContain(lastLines.replace("output", "output   ctrl-o"));
  terminal.type("go on\r");
  await terminal.waitFor("Well.");
  const said = JSON.stringify(model.requests[0]?.messages);
  // Escaped by the envelope and by the message, but not again by the tool's own JSON.
  expect(said).toContain(String.raw`1999\\n2000`);
});

test("line mode shows the same", async () => {
  const model = await startModel([call({}), { text: "Well." }]);
  const terminal = await openTerminal(["--model", "openai-compatible/m", "--allow", "bash"], { env: model.env });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await terminal.waitFor("… 2000");
  terminal.type("\u0003");
  const screen = await terminal.waitFor("Interrupted.");
  expect(screen).toContain(lastLines);
  expect(screen).toMatch(/\n {2}2000\n {2}stopped · /);
});
