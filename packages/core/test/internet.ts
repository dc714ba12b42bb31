import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { type NetworkOptions, type SessionNetwork, sessionNetwork } from "@ikigai/sandbox";
import type { TestContext } from "vitest";

/** A proxy on loopback behind which all hosts are one server. */
export interface Internet {
  /** The environment of a user who has this proxy. */
  readonly env: NodeJS.ProcessEnv;
  readonly port: number;
  /** The requests: `GET http://host/path`, `CONNECT host:443`. */
  readonly requests: readonly string[];
}

type Cleanup = Pick<TestContext, "onTestFinished">;

export async function internet(
  { onTestFinished }: Cleanup,
  respond: (request: IncomingMessage, response: ServerResponse, url: URL) => void = (_, response, url) =>
    response.end(`hello from ${url.hostname}\n`),
): Promise<Internet> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    respond(request, response, new URL(request.url ?? "/", `http://${request.headers.host}`));
  });
  server.on("connect", (request, socket, head) => {
    requests.push(`CONNECT ${request.url}`);
    const upstream = connect(port, "127.0.0.1");
    for (const one of [socket, upstream]) one.on("error", () => {});
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    upstream.write(head);
    socket.pipe(upstream).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const proxy = `http://127.0.0.1:${port}`;
  return { env: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy }, port, requests };
}

/** A network that ends with the test. Without rules, nothing is allowed, and no one is asked. */
export function network({ onTestFinished }: Cleanup, options: Partial<NetworkOptions> = {}): SessionNetwork {
  const door = sessionNetwork({ env: {}, ruleFor: () => undefined, ...options });
  onTestFinished(() => door.close());
  return door;
}

/** Serves a directory of repositories, as a forge does. */
export function serveGit(directory: string, request: IncomingMessage, response: ServerResponse, url: URL): void {
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH,
      ...{ GIT_PROJECT_ROOT: directory, GIT_HTTP_EXPORT_ALL: "1", GIT_CONFIG_COUNT: "1" },
      ...{ GIT_CONFIG_KEY_0: "safe.directory", GIT_CONFIG_VALUE_0: "*" },
      ...{ PATH_INFO: url.pathname, QUERY_STRING: url.search.slice(1), REQUEST_METHOD: request.method },
      ...{ CONTENT_TYPE: request.headers["content-type"], HTTP_CONTENT_ENCODING: request.headers["content-encoding"] },
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.once("close", () => {
    const output = Buffer.concat(chunks);
    const end = output.indexOf("\r\n\r\n");
    const fields = output.subarray(0, end).toString().split("\r\n");
    const headers = Object.fromEntries(fields.map((field) => field.split(": ") as [string, string]));
    response.writeHead(Number.parseInt(headers.Status ?? "200", 10), headers);
    response.end(output.subarray(end + 4));
  });
}
