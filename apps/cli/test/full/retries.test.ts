// @module-tag sampled
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { some } from "../ikigai.ts";
import { openFull } from "./open-full.ts";

/** A model server that plays one function for each request, the last one for all further ones; returns its URL. */
async function serve(...plays: readonly ((response: ServerResponse) => void)[]): Promise<string> {
  let requests = 0;
  const server = createServer((request, response) => {
    if (request.method !== "POST") return void response.writeHead(404).end();
    request.resume().on("end", () => plays[Math.min(requests++, plays.length - 1)]?.(response));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** Refuses a request. */
const refuse = (status: number, message: string) => (response: ServerResponse) => {
  const error = JSON.stringify({ error: { message } });
  response.writeHead(status, { "retry-after": "60", "content-type": "application/json" }).end(error);
};

/** Begins an answer, and continues it as wanted. */
const say = (text: string, end: (response: ServerResponse) => void) => (response: ServerResponse) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const piece = (delta: object, reason: string | null) => {
    const choices = [{ index: 0, delta, finish_reason: reason }];
    const chunk = { id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  };
  response.write(piece({ role: "assistant", content: text }, null));
  if (end === finish) response.write(piece({}, "stop"));
  // Long enough for the screen to show it.
  setTimeout(() => end(response), 300);
};

const finish = (response: ServerResponse) => void response.end("data: [DONE]\n\n");

test.each(
  some(2, [
    [529, "Server overloaded (529)", 100],
    [503, "Server unavailable (503)", 100],
    [429, "Rate limited (429)", 100],
    [529, "Server overloaded (529)", 60],
  ]),
)("while a request waits after %i, the row begins with %j at %i columns", async (status, brief, columns) => {
  const words = "The service is temporarily overloaded, please try again later and with fewer tokens";
  const url = await serve(refuse(status, words));
  const { terminal } = await openFull([], { columns, env: { OPENAI_COMPATIBLE_BASE_URL: url } });
  terminal.type("go\r");
  const screen = await terminal.waitFor(/retrying in/);
  const row = screen.split("\n").find((line) => line.includes("retrying in")) ?? "";
  const count = columns < 100 ? "" : " · 1 of \\d+";
  const address = columns < 100 ? "" : " · The server at http://\\S+";
  expect(row.slice(2)).toMatch(
    new RegExp(`^${brief.replace(/[()]/g, "\\$&")}${address} · retrying in \\S+ s${count} · esc stops$`),
  );
});

test("a wide screen has the whole reason", async () => {
  const url = await serve(refuse(529, "Overloaded"));
  const { terminal } = await openFull([], { columns: 140, env: { OPENAI_COMPATIBLE_BASE_URL: url } });
  terminal.type("go\r");
  await terminal.waitFor(/ The server at \S+ is unavailable \(529\): Overloaded\. · retrying in \S+ s/);
});

test.each([
  ["the connection is cut", "connection lost, trying again", (response: ServerResponse) => void response.destroy()],
  ["the server ends it", "the answer broke off, trying again", (response: ServerResponse) => void response.end()],
])("an answer that is repeated after %s is set off by %j", async (_, line, cut) => {
  const url = await serve(say("The first words", cut), say("The first words and the rest.", finish));
  const { terminal } = await openFull([], { env: { OPENAI_COMPATIBLE_BASE_URL: url } });
  terminal.type("go\r");
  const screen = await terminal.waitFor("and the rest.");
  expect(screen).toContain(`◆ The first words\n\n${line}\n\n◆ The first words and the rest.`);
  expect(terminal.raw()).toContain(`\u001b[2m${line}`);
});
