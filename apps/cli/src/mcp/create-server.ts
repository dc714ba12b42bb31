import type { ServedOutcome } from "@ikigai/agent/internal";
import type { RegisteredTool } from "@ikigai/core";
import { textStart } from "@ikigai/protocol";
import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { version } from "../host/version.ts";
import { reportBug } from "../render/report-bug.ts";
import { toMcpTool } from "./offered-tools.ts";
import { progressTo } from "./progress.ts";

/** What a server serves. */
export interface Served {
  /** Returns the current tools, sorted by name. */
  tools(): Promise<readonly RegisteredTool[]>;
  /** A client got this list. */
  listed(tools: readonly RegisteredTool[]): void;
  /** Calls one of them. */
  call(call: ClientCall): Promise<ServedOutcome | { readonly problem: string }>;
}

/** A call of a client for a tool that it may use. */
export interface ClientCall {
  readonly name: string;
  /** A JSON object. */
  readonly arguments: string;
  /** The client's name and version. */
  readonly caller: string;
  /** Aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  readonly onProgress: ReturnType<typeof progressTo>;
}

/** How long a client of 2026 may keep the list, in milliseconds; others get notifications. */
const listTtlMs = 5_000;

/** Creates a server for one connection. It negotiates the version that the client asks for, else the newest one it knows. */
export function createServer({ tools, listed, call }: Served): Server {
  const server = new Server(
    { name: "ikigai", title: "ikigai", version },
    {
      capabilities: { tools: { listChanged: true } },
      cacheHints: { "tools/list": { ttlMs: listTtlMs, cacheScope: "private" } },
    },
  );
  server.setRequestHandler("tools/list", async () => {
    const current = await tools();
    listed(current);
    return { tools: current.map(toMcpTool) };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name } = params;
    if (!(await tools()).some((tool) => tool.name === name)) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${JSON.stringify(textStart(name, 100))}`);
    }
    const end = await call({
      name,
      arguments: JSON.stringify(params.arguments ?? {}),
      caller: callerOf(server, context),
      signal: context.mcpReq.signal,
      onProgress: progressTo(context),
    }).catch((error: unknown) => {
      reportBug(error);
      throw error;
    });
    return "problem" in end ? problemResult(end.problem) : callResult(end);
  });
  return server;
}

/** The client's name and version, as it says. A client of 2026 says it with every request. */
function callerOf(server: Server, { mcpReq }: ServerContext): string {
  const envelope: Readonly<Record<string, unknown>> = { ...mcpReq.envelope };
  const { name, version: number }: { name?: unknown; version?: unknown } =
    envelope[CLIENT_INFO_META_KEY] ?? server.getClientVersion() ?? {};
  if (typeof name !== "string" || typeof number !== "string") return "an MCP client";
  return textStart(`the MCP client ${name} ${number}`, 100);
}

/** The result of a call as a client gets it. */
function callResult({ envelope, json, images = [], hookEnd }: ServedOutcome): CallToolResult {
  const said = hookEnd === undefined ? [] : [text(hookEnd)];
  // A failure's JSON has what hooks add.
  if (!envelope.tool_success) return { content: [text(json), ...said], isError: true };
  const { result, images_ignored: ignored, hook_context: context } = envelope;
  // The tool's own text, unless something follows it: parsing loses numbers of twenty digits and duplicate keys.
  const isOwnText = json.startsWith(beforeResult) && ignored === undefined && context === undefined;
  const content = [
    text(isOwnText ? json.slice(beforeResult.length, -1) : JSON.stringify(result)),
    ...images.map(({ mediaType, data }) => ({ type: "image" as const, data, mimeType: mediaType })),
    ...(ignored === undefined ? [] : [text(JSON.stringify({ images_ignored: ignored }))]),
    ...(context === undefined ? [] : [text(context)]),
    ...said,
  ];
  if (typeof result.error === "string") return { content, isError: true };
  return { content, structuredContent: result };
}

/** A problem that the model should know about. */
function problemResult(problem: string): CallToolResult {
  return { content: [text(problem)], isError: true };
}

function text(value: string) {
  return { type: "text" as const, text: value };
}

/** How an envelope's text begins before the tool's own. */
const beforeResult = '{"tool_success":true,"result":';
