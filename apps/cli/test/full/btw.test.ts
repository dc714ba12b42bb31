import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import type { SentRequest } from "../model-server.ts";
import { keys, openFull } from "./open-full.ts";

const isAside = ({ messages }: SentRequest) => String(messages.at(-1)?.content).startsWith("A side question");

test("/btw is answered while a call runs, with the same beginning of the request, and stays out of the conversation", async () => {
  const cwd = await tempDir();
  // On a busy machine, saving the project's files would ask a question.
  const home = await tempDir({ ".ikigai/config.json": JSON.stringify({ undo: false }) });
  const command = "while [ ! -e go ]; do sleep 0.1; done; echo gone";
  let turns = 0;
  const script = (request: SentRequest) => {
    if (isAside(request)) return { text: "It waits for the **file go**." };
    return turns++ === 0 ? { calls: [{ name: "bash", arguments: { command } }] } : { text: "Turn over." };
  };
  const { terminal, model } = await openFull(script, { cwd, args: ["--allow", "bash"], env: { HOME: home } });
  terminal.type("begin\r");
  await terminal.waitFor(/while[^\n]*go/);
  terminal.type("/btw what does it wait for?\r");
  await terminal.waitFor(/─{20,}\n│ It waits for the file go\.\n─{20,}/);
  expect(terminal.screen()).not.toContain("Turn over.");
  const [first, aside] = model.requests;
  expect(aside?.messages.slice(0, 2)).toEqual(first?.messages);
  expect(aside?.tools).toEqual(first?.tools);
  const [said, result] = aside?.messages.slice(2) ?? [];
  expect([said?.role, result?.role]).toEqual(["assistant", "tool"]);
  expect(result?.content).toContain("still running");
  expect(aside?.messages.at(-1)?.content).toMatch(/what does it wait for\?$/);
  writeFileSync(join(cwd, "go"), "");
  await terminal.waitFor("Turn over.");
  expect(JSON.stringify(model.requests[2]?.messages)).not.toContain("side question");
  const sessions = join(home, ".ikigai/sessions");
  const log = readdirSync(sessions).find((name) => name.endsWith(".jsonl")) ?? "";
  expect(readFileSync(join(sessions, log), "utf8")).toContain('"type":"spent"');
});

test("Esc stops the side question first, and the turn continues", async () => {
  const cwd = await tempDir();
  let turns = 0;
  const script = (request: SentRequest) => {
    if (isAside(request)) return { text: "Too late.", waitMs: 20_000 };
    const command = "while [ ! -e go ]; do sleep 0.1; done";
    return turns++ === 0 ? { calls: [{ name: "bash", arguments: { command } }] } : { text: "Turn over." };
  };
  const home = await tempDir({ ".ikigai/config.json": JSON.stringify({ undo: false }) });
  const { terminal } = await openFull(script, { cwd, args: ["--allow", "bash"], env: { HOME: home } });
  terminal.type("begin\r");
  await terminal.waitFor(/while[^\n]*go/);
  terminal.type("/btw what does it wait for?\r");
  await terminal.waitFor("esc stops the side question");
  terminal.type(keys.escape);
  await terminal.waitFor("Interrupted.");
  writeFileSync(join(cwd, "go"), "");
  await terminal.waitFor("Turn over.");
});
