import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { httpPackage } from "./http-package.ts";
import { httpServer, type Seen } from "./http-server.ts";

const answer = (id: unknown, text: string) => {
  return `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } })}\n\n`;
};

/** Answers calls with a stream that stays open. */
const streams = (write: (id: unknown, response: ServerResponse, text: string) => void) => {
  return ({ message }: Seen, response: ServerResponse) => {
    if (message?.method !== "tools/call") return false;
    response.writeHead(200, { "content-type": "text/event-stream" });
    const { id, params } = message as { id: unknown; params: { arguments: { message: string } } };
    write(id, response, params.arguments.message);
    return true;
  };
};

test("an answer to another request ends the call at once, though its stream stays open", async () => {
  const { url } = await httpServer({
    intercept: streams((id, response, text) => response.write(answer(text === "bad" ? 4_711 : id, text))),
  });
  using service = (await httpPackage(url)).service();
  await service.ready();
  const bad = service.call("echo", { message: "bad" });
  const error = expect.stringMatching(/ test answered with error -32000: Its answer has the id 4711 instead of \d\.$/);
  expect(await service.next()).toEqual({ call: bad, answer: { error, error_code: "MCP_REQUEST_FAILED" } });
  const good = service.call("echo", { message: "good" });
  expect(await service.next()).toEqual({ call: good, answer: { output: "good" } });
});

test("an id as long as the server likes is cut", async () => {
  const { url } = await httpServer({
    intercept: streams((_, response, text) => response.end(answer("x".repeat(Number(text)), ""))),
  });
  const { call } = await httpPackage(url);
  const idOf = async (length: number) => {
    const { error } = await call("echo", { message: String(length) });
    return /has the id (.*) instead of 1\.$/.exec(error)?.[1];
  };
  // With the quotation marks.
  expect(await idOf(98)).toBe(`"${"x".repeat(98)}"`);
  expect(await idOf(99)).toBe(`"${"x".repeat(99)}`);
});

test("answers on each other's streams are accepted", async () => {
  const open: { readonly id: unknown; readonly response: ServerResponse; readonly text: string }[] = [];
  const { url } = await httpServer({
    intercept: streams((id, response, text) => {
      open.push({ id, response, text });
      const [first, second] = open;
      if (!first || !second) return;
      first.response.write(answer(second.id, second.text));
      second.response.write(answer(first.id, first.text));
    }),
  });
  using service = (await httpPackage(url)).service();
  await service.ready();
  const calls = ["one", "two"].map((message) => service.call("echo", { message }));
  const lines = await Promise.all(calls.map(() => service.next()));
  expect(new Set(lines)).toEqual(
    new Set([
      { call: calls[0], answer: { output: "one" } },
      { call: calls[1], answer: { output: "two" } },
    ]),
  );
});
