import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { NodeStreamableHTTPServerTransport, toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { onTestFinished } from "vitest";

/** A request that arrived. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The JSON of the body; `undefined` without one. */
  readonly message: { readonly method?: string; readonly params?: { readonly name?: string } } | undefined;
}

/** Answers a request itself, or returns false: then the server does. */
export type Intercept = (seen: Seen, response: ServerResponse) => boolean | Promise<boolean>;

export interface HttpServerOptions {
  /** The protocol of 2025 has sessions, that of 2026 has none. */
  readonly era?: "legacy" | "modern";
  readonly intercept?: Intercept;
  /** Lets streams be opened again; the server closes each once. */
  readonly drops?: boolean;
}

/** A server of the SDK on loopback, over HTTP. */
export async function httpServer({ era = "legacy", intercept, drops = false }: HttpServerOptions = {}) {
  const seen: Seen[] = [];
  const calls: string[] = [];
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const build = () => toolServer(calls, sessions, drops);
  const handler = createMcpHandler(build, { legacy: "reject" });
  const modern = toNodeHandler(handler);
  const http = createServer(async (request, response) => {
    const body = await textOf(request);
    const one: Seen = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      message: body.startsWith("{") ? JSON.parse(body) : undefined,
    };
    seen.push(one);
    if (await intercept?.(one, response)) return;
    const parsed = body === "" ? undefined : JSON.parse(body);
    if (era === "modern") {
      const { method = "", url = "" } = request;
      return void modern(Object.assign(request, { method, url }), response, parsed);
    }
    const id = request.headers["mcp-session-id"];
    const session = typeof id === "string" ? sessions.get(id) : await open(build, sessions, drops);
    if (session) await session.handleRequest(request, response, parsed);
    else response.writeHead(404, { "content-type": "application/json" }).end(gone);
  });
  await new Promise<void>((settle) => http.listen(0, "127.0.0.1", settle));
  const stop = () => {
    http.closeAllConnections();
    http.close();
  };
  onTestFinished(stop);
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    seen,
    /** The names of the tools that were called. */
    calls,
    sessions,
    /** Sends notifications to clients of the protocol of 2026. */
    notify: handler.notify,
    stop,
    /** What was sent by POST, by method of JSON-RPC. */
    posted: (method: string) => seen.filter(({ message }) => message?.method === method),
  };
}

const gone = JSON.stringify({ jsonrpc: "2.0", error: { code: -32_001, message: "Session not found" }, id: null });

async function open(build: () => Server, sessions: Map<string, NodeStreamableHTTPServerTransport>, drops: boolean) {
  const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
    onsessionclosed: (id) => void sessions.delete(id),
    ...(drops && { eventStore: new Events(), retryInterval: 10 }),
  });
  await build().connect(transport);
  return transport;
}

/** The events of a session, for clients that open a stream again. */
class Events {
  readonly #events: { readonly stream: string; readonly id: string; readonly message: unknown }[] = [];

  async storeEvent(stream: string, message: unknown): Promise<string> {
    const id = String(this.#events.length);
    this.#events.push({ stream, id, message });
    return id;
  }

  async getStreamIdForEventId(id: string): Promise<string | undefined> {
    return this.#events[Number(id)]?.stream;
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (id: string, message: never) => Promise<void> },
  ): Promise<string> {
    const stream = this.#events[Number(last)]?.stream ?? "";
    for (const event of this.#events.slice(Number(last) + 1))
      if (event.stream === stream && Object.keys(event.message as object).length > 0)
        await send(event.id, event.message as never);
    return stream;
  }
}

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

// The protocol of 2025 ignores the header.
const message = { type: "string", "x-mcp-header": "Message" } as const;

/** The tools of the server. */
export const httpTools = ["echo", "hangs", "big", "reports", "drops"].map((name) => ({
  name,
  description: `Does ${name}`,
  inputSchema: { type: "object" as const, ...(name === "echo" && { properties: { message } }) },
}));

function toolServer(calls: string[], sessions: Map<string, NodeStreamableHTTPServerTransport>, drops: boolean): Server {
  const server = new Server(
    { name: "over-http", version: "1.2.3" },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler("tools/list", () => ({ tools: httpTools.map((tool) => ({ ...tool })) }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name, arguments: args = {} } = params;
    calls.push(name);
    if (name === "hangs") await new Promise((settle) => context.mcpReq.signal.addEventListener("abort", settle));
    if (name === "big") return text("x".repeat(Number(args.bytes)));
    if (name === "reports")
      await context.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken: params._meta?.progressToken ?? 0, progress: 1, total: 2, message: "half" },
      });
    if (name === "drops" && drops) {
      const session = sessions.get(context.sessionId ?? "");
      session?.closeSSEStream(context.mcpReq.id);
      await new Promise((settle) => setTimeout(settle, 100));
    }
    return text(name === "echo" ? `Echo: ${args.message}` : "done");
  });
  return server;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}
