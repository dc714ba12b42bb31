// @module-tag sampled
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tempDir } from "@ikigai/testing";
import { expect, onTestFinished, test } from "vitest";
import { startModel } from "../model-server.ts";
import { openFullScreen, openTerminal } from "../terminal.ts";
import { openFull } from "./open-full.ts";

test("the operand is the first message, and the conversation continues", async () => {
  const { terminal, model } = await openFull([{ text: "It is a tree." }, { text: "Of leaves." }], {
    args: ["explain this project"],
  });
  await terminal.waitFor("› explain this project");
  await terminal.waitFor("It is a tree.");
  expect(model.requests[0]?.messages.at(-1)?.content).toBe("explain this project");
  terminal.type("of what?\r");
  await terminal.waitFor("Of leaves.");
});

test("the first message may be a command, or continue the last session", async () => {
  const home = await tempDir();
  const cwd = await tempDir();
  const first = await openFull([{ text: "Noted." }], { cwd, env: { HOME: home }, args: ["remember 42"] });
  await first.terminal.waitFor("Noted.");
  first.terminal.type("\u0004");
  await first.terminal.exitCode;
  const { terminal, model } = await openFull([{ text: "It was 42." }], {
    cwd,
    env: { HOME: home },
    args: ["-c", "what was it?"],
  });
  await terminal.waitFor("It was 42.");
  expect(model.requests[0]?.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
    "remember 42",
    "what was it?",
  ]);
  const { terminal: other } = await openFull([], { args: ["/context"] });
  await other.waitFor("schema of bash");
});

test("after --, a word that resembles a command is a message", async () => {
  const { model, terminal } = await openFull([{ text: "Said." }], { args: ["--", "tols"] });
  await terminal.waitFor("Said.");
  expect(model.requests[0]?.messages.at(-1)?.content).toBe("tols");
});

test("line mode takes a first message too", async () => {
  const model = await startModel([{ text: "It is a tree." }]);
  const terminal = await openTerminal(["--model", "openai-compatible/m", "explain this"], { env: model.env });
  await terminal.waitFor(/› explain this\n+It is a tree\.\n+›$/);
});

test("reports a server that lists no models, and /model NAME selects one", async () => {
  const model = await startModel([{ text: "At your service." }]);
  const terminal = await openFullScreen([], { env: model.env });
  await terminal.waitFor(/does not list its models\.\s+Name one:[\s\S]*no model$/);
  terminal.type("hello\r");
  await terminal.waitFor(/› hello\s+The server at \S+ does not list its models/);
  terminal.type("/model m\r");
  await terminal.waitFor("Model: openai-compatible/m");
  terminal.type("hello again\r");
  await terminal.waitFor("At your service.");
});

test("opens when the server does not answer at all", async () => {
  const server = createServer((request) => request.socket.destroy());
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const terminal = await openTerminal([], { env: { OPENAI_COMPATIBLE_BASE_URL: url } });
  await terminal.waitFor(/closed the connection \(ECONNRESET\)[\s\S]*›$/);
  terminal.type("/model m\r");
  await terminal.waitFor("Model: openai-compatible/m");
});
