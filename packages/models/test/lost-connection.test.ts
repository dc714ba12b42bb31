import { type AddressInfo, createServer, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { hear, modelOf, providers } from "../../agent/test/providers.ts";

const [anthropic] = providers;

/** A server that handles each connection as the test says, once a request has arrived. */
async function serverThat(act: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => act(socket));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const head = (more: string) => `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${more}\r\n\r\n`;
const event = ": hello\n\n";
const soon = (act: () => void) => void setTimeout(act, 30);

/** Node reports "socket hang up", "read ECONNRESET" and "aborted" for these, all with the same code. */
test.each<readonly [string, (socket: Socket) => void]>([
  ["closed before the response", (socket) => socket.destroy()],
  ["reset before the response", (socket) => socket.resetAndDestroy()],
  [
    "closed in the middle of the headers",
    (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-", () => soon(() => socket.destroy())),
  ],
  [
    "closed in the middle of the response",
    (socket) => socket.write(`${head("content-length: 100")}${event}`, () => soon(() => socket.destroy())),
  ],
  [
    "reset in the middle of the response",
    (socket) => socket.write(`${head("content-length: 100")}${event}`, () => soon(() => socket.resetAndDestroy())),
  ],
  [
    "closed in the middle of a compressed response",
    (socket) => {
      socket.write(head("content-length: 9999\r\ncontent-encoding: gzip"));
      socket.write(gzipSync(event.repeat(100)).subarray(0, 20), () => soon(() => socket.destroy()));
    },
  ],
])("retries a connection that is %s, and the message says who closed it", async (_, act) => {
  const host = await serverThat(act);
  const { error } = await hear(await modelOf(anthropic, `http://${host}`));
  expect([error?.code, error?.retryable, error?.message]).toEqual([
    "network",
    true,
    `${host} closed the connection (ECONNRESET).`,
  ]);
});
