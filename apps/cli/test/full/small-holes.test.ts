// @module-tag sampled
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { openFullScreen } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

const bell = "\u0007";
const ctrlU = "\u0015";

test("Up recalls messages with the cursor at the end, line by line", async () => {
  const { terminal } = await openFull([{ text: "One." }, { text: "Two." }]);
  terminal.type("first\r");
  await terminal.waitFor("One.");
  terminal.type("second\nhas two lines\r");
  await terminal.waitFor("Two.");
  terminal.type(keys.up);
  await terminal.waitFor("› second\n  has two lines\n─");
  // To its first line, and on to the message before.
  terminal.type(`${keys.up}${keys.up}`);
  await terminal.waitFor("› first\n─");
  terminal.type("!");
  await terminal.waitFor("› first!\n─");
  terminal.type(`${ctrlU}other`);
  await terminal.waitFor("› other\n─");
});

test("Up recalls a draft that Ctrl-C discarded", async () => {
  const { terminal } = await openFull();
  terminal.type("half a thought");
  await terminal.waitFor("› half a thought");
  terminal.type(keys.ctrlC);
  await terminal.waitFor("›\n─");
  terminal.type(keys.up);
  await terminal.waitFor("› half a thought\n─");
});

test("the user's messages are bold if the terminal does not report its background", async () => {
  const { terminal } = await openFull([{ text: "Fine." }]);
  terminal.type("find me again\r");
  await terminal.waitFor("Fine.");
  expect(terminal.raw()).toContain("\u001b[1mfind me again ");
});

test("finds and offers a command file written a moment ago", async () => {
  const cwd = await tempDir();
  const home = await tempDir();
  const { terminal, model } = await openFull([{ text: "Reviewed." }], { cwd, env: { HOME: home } });
  mkdirSync(join(home, ".ikigai/commands"), { recursive: true });
  writeFileSync(join(home, ".ikigai/commands/critique.md"), "Look for mistakes in $ARGUMENTS.\n");
  terminal.type("/critique a.ts\r");
  await terminal.waitFor("Reviewed.");
  expect(model.requests[0]?.messages.at(-1)?.content).toBe("Look for mistakes in a.ts.");
  writeFileSync(join(home, ".ikigai/commands/polish.md"), "Polish it.\n");
  terminal.type("/");
  terminal.type("pol");
  await terminal.waitFor(/\/polish/);
});

test("the bell rings only while the window has no focus", async () => {
  const { terminal } = await openFull([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  // Titles and queries to the terminal end in a bell too.
  const bells = () => terminal.raw().split(bell).length - terminal.raw().split("\u001b]").length;
  terminal.type("go\r");
  await terminal.waitFor("One.");
  // It was fast, and the terminal has not reported its focus.
  expect(bells()).toBe(0);
  terminal.type("\u001b[O");
  terminal.type("go\r");
  await terminal.waitFor("Two.");
  await terminal.waitFor(/Two\.\n[\s\S]*›\n/);
  expect(bells()).toBe(1);
  terminal.type("\u001b[I");
  terminal.type("go\r");
  await terminal.waitFor("Three.");
  expect(bells()).toBe(1);
});

test("a retry counts down on one line, which disappears", async () => {
  let asked = 0;
  const server = createServer((request, response) => {
    if (request.method !== "POST") return void response.writeHead(404).end();
    if (++asked === 1) {
      const error = JSON.stringify({ error: { message: "Slow down", type: "rate_limit" } });
      return void response.writeHead(429, { "retry-after": "3", "content-type": "application/json" }).end(error);
    }
    const delta = { choices: [{ index: 0, delta: { content: "At last." }, finish_reason: "stop" }] };
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", ...delta })}\n\ndata: [DONE]\n\n`);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const terminal = await openFullScreen(["--model", "openai-compatible/m"], {
    env: { OPENAI_COMPATIBLE_BASE_URL: url },
  });
  await terminal.waitFor(/openai-compatible\/m$/);
  terminal.type("go\r");
  const screen = await terminal.waitFor("At last.");
  // On a busy machine the screen may be looked at less often than once a second.
  expect(terminal.raw()).toMatch(/retrying in 2 s · 1 of \d · esc stops/);
  expect(terminal.raw()).toMatch(/retrying in 1 s · 1 of \d · esc stops/);
  expect(screen).not.toMatch(/retrying|429/i);
});

test("headings have no prefix at any level, and a rule is as wide as the screen", async () => {
  const { terminal } = await openFull([{ text: "### Third\n\ntext\n\n#### Fourth\n\n---\n\nend" }], { columns: 120 });
  terminal.type("go\r");
  const screen = await terminal.waitFor("\n  end\n");
  expect(screen).toContain("\n◆ Third\n");
  expect(screen).toContain("\n  Fourth\n");
  expect(screen).toContain(`\n  ${"─".repeat(118)}\n\n  end`);
});

test("while a call runs, only the call shows a clock", async () => {
  const calls = [{ name: "bash", arguments: { command: "sleep 4" } }];
  const { terminal } = await openFull([{ calls }], { args: ["--allow", "bash"] });
  terminal.type("go\r");
  const screen = await terminal.waitFor(/\n {2}2 s\n/);
  expect(screen).toMatch(/working · esc stops/);
});

test("/model says that no provider listed its models", async () => {
  const { terminal } = await openFull();
  terminal.type("/model\r");
  await terminal.waitFor("Model (none listed: ikigai setup in a shell, or /model PROVIDER/MODEL)");
});

test("/export takes a lone word for a format, not for a file", async () => {
  const { terminal } = await openFull();
  terminal.type("/export pdf\r");
  await terminal.waitFor("Expected md or html, got pdf. To name the file: /export md pdf");
});
