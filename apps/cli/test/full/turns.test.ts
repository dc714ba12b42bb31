// @module-tag sampled
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { askingHome } from "../asking-home.ts";
import { until } from "../ikigai.ts";
import { openFullScreen } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

/** A request to the slow server. */
interface Seen {
  isOpen: boolean;
  isAborted: boolean;
  readonly said: string;
}

/** A model whose answers the test releases. */
async function slowModel() {
  const seen: Seen[] = [];
  const answers: (() => void)[] = [];
  let most = 0;
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") return void response.writeHead(404).end();
    let body = "";
    for await (const chunk of request) body += chunk;
    const one: Seen = { isOpen: true, isAborted: false, said: JSON.parse(body).messages.at(-1).content };
    seen.push(one);
    most = Math.max(most, seen.filter(({ isOpen }) => isOpen).length);
    response.once("close", () => {
      one.isAborted = one.isOpen;
      one.isOpen = false;
    });
    answers.push(() => {
      one.isOpen = false;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const delta = { choices: [{ index: 0, delta: { content: `Answer to ${one.said}.` }, finish_reason: "stop" }] };
      response.end(
        `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", ...delta })}\n\ndata: [DONE]\n\n`,
      );
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { url, seen, answers, most: () => most };
}

test("two turns never overlap, whatever is typed while a command runs, and Esc stops the running one", async () => {
  const { url, seen, answers, most } = await slowModel();
  const terminal = await openFullScreen(["--model", "openai-compatible/m"], {
    env: { OPENAI_COMPATIBLE_BASE_URL: url },
  });
  await terminal.waitFor(/openai-compatible\/m$/);
  for (const typed of ["/doctor\r", "first\r"]) {
    terminal.type(typed);
    await terminal.waitFor(`› ${typed.trim()}`);
  }
  terminal.type(`second${keys.altEnter}`);
  await until(() => seen.length > 0, "the first request");
  // Long enough for a second request, had the end of the command started one.
  await terminal.waitFor(/\n {2}model|\bmodel\b/i);
  await new Promise((settle) => setTimeout(settle, 1_500));
  expect(seen.map(({ said }) => said)).toEqual(["first"]);
  answers[0]?.();
  await until(() => seen.length > 1, "the second request");
  await terminal.waitFor("Answer to first.");
  terminal.type(keys.escape);
  await until(() => seen[1]?.isAborted === true, "the end of the second request");
  await terminal.waitFor("Interrupted.");
  expect(seen.map(({ said }) => said)).toEqual(["first", "second"]);
  expect(most()).toBe(1);
});

test("a command typed while the model works is not sent to it, and runs after the turn", async () => {
  const slowCall = { calls: [{ name: "bash", arguments: { command: "sleep 2; echo slept" } }] };
  const { terminal, model } = await openFull([slowCall, { text: "Well." }], { args: ["--allow", "bash"] });
  terminal.type("begin\r");
  await terminal.waitFor(/echo slept\n {2}running/);
  terminal.type("/export md\r");
  await terminal.waitFor("› /export md  after the answer");
  terminal.type("!echo typed\r");
  await terminal.waitFor("› !echo typed  after the answer");
  await terminal.waitFor(/Exported to [\s\S]*\n {2}typed\n/);
  expect(model.requests).toHaveLength(2);
  const sent = JSON.stringify(model.requests);
  expect(sent).not.toContain("/export");
  expect(sent).not.toContain("echo typed");
});

test("cannot rewind while a command runs", async () => {
  const home = await askingHome();
  const { terminal } = await openFull([{ text: "Fine." }], { env: { HOME: home } });
  terminal.type("hello\r");
  await terminal.waitFor("Fine.");
  // The doctor waits for its schema, longer than keys wait for a list that a command opens.
  mkdirSync(join(home, ".ikigai/tools"), { recursive: true });
  writeFileSync(join(home, ".ikigai/tools/slow-tool"), "#!/bin/sh\nexec sleep 3\n", { mode: 0o755 });
  terminal.type("/doctor\r");
  terminal.type(keys.escape);
  terminal.type(keys.escape);
  await terminal.waitFor("Cannot rewind while something is running.");
  expect(terminal.screen()).not.toContain("Rewind to before");
});

test("an API key typed at the prompt is not kept in the history", async () => {
  const home = await tempDir();
  const key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
  const { terminal } = await openFull([{ text: "Fine." }], { env: { HOME: home, ANTHROPIC_API_KEY: key } });
  terminal.type(`is ${key} valid?\r`);
  await terminal.waitFor("Fine.");
  const history = readFileSync(join(home, ".ikigai/history.jsonl"), "utf8");
  expect(history).toContain("valid?");
  expect(history).not.toContain(key);
});
