import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createPlainServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { readWebUrl, sendRequest, WebError, type WebRequest, type WebResponse } from "../src/index.ts";

/** A server of one test on 127.0.0.1. */
export interface TestServer {
  /** `http://127.0.0.1:PORT` */
  readonly origin: string;
  readonly host: string;
  readonly port: number;
  /** What was requested. */
  readonly requests: IncomingMessage[];
}

/** An http server. */
export async function httpServer(answer: RequestListener): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  return { ...(await listening(server, "http")), requests };
}

/** An https server. */
export async function tlsServer(files: { key: Buffer; cert: Buffer }, answer: RequestListener): Promise<TestServer> {
  const requests: IncomingMessage[] = [];
  const server = createTlsServer(files, (request, response) => {
    requests.push(request);
    answer(request, response);
  });
  return { ...(await listening(server, "https")), requests };
}

/** A server that speaks as the test wants once it has read a request. */
export async function rawServer(answer: (socket: Socket) => void): Promise<TestServer> {
  const server = createPlainServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => answer(socket));
  });
  return { ...(await listening(server, "http")), requests: [] };
}

async function listening(server: Server, scheme: string) {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `${scheme}://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, port };
}

/** An environment that opens these servers. */
export function opening(...servers: readonly TestServer[]): Record<string, string> {
  return { IKIGAI_WEB_ALLOW: servers.map(({ host }) => host).join(",") };
}

/** Requests a URL. */
export function get(url: string, env: WebRequest["env"], more: Partial<WebRequest> = {}): Promise<WebResponse> {
  return sendRequest({ url: readWebUrl(url), env, headers: {}, ...more });
}

/** What a request fails with. */
export async function failureOf(action: Promise<unknown>): Promise<{ code: string; message: string; details: object }> {
  try {
    await action;
  } catch (error) {
    if (error instanceof WebError) return { code: error.code, message: error.message, details: error.details };
    throw error;
  }
  throw new Error("It did not fail.");
}
