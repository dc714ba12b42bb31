// ikigai as an MCP server, without a connection: the requests about tools, a call with its progress and its result, which tools a client gets,
// and how they are described.

import type { serveCalls } from "@ikigai/agent/internal";
import type { RegisteredTool, Registry } from "@ikigai/core";
import { isDocument } from "@ikigai/models";
import { namesTool } from "@ikigai/permission";
import { isJsonObject, type JsonObject, type JsonValue, type Progress, textStart } from "@ikigai/protocol";
import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { UsageError } from "../args/usage-error.ts";
import { version } from "../host/places/own-paths.ts";
import { reportBug } from "../render/failures.ts";

/** How a call ended. */
type ServedOutcome = Awaited<ReturnType<ReturnType<typeof serveCalls>>>;

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
interface ClientCall {
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
export function callResult({ envelope, json, images = [], hookEnd }: ServedOutcome): CallToolResult {
  const said = hookEnd === undefined ? [] : [text(hookEnd)];
  // A failure's JSON has what hooks add.
  if (!envelope.tool_success) return { content: [text(json), ...said], isError: true };
  const { tool_success: _, result, hook_context: context, ...remarks } = envelope;
  const notes = Object.entries(remarks).map(([name, remark]) => text(JSON.stringify({ [name]: remark })));
  // The tool's own text, unless something follows it: parsing loses numbers of twenty digits and duplicate keys.
  const isOwnText = json.startsWith(beforeResult) && notes.length === 0 && context === undefined;
  const content = [
    text(isOwnText ? json.slice(beforeResult.length, -1) : JSON.stringify(result)),
    // Clients count a document's bytes as text; what the tool could read of it is in the answer.
    ...images
      .filter((image) => !isDocument(image))
      .map(({ mediaType, data }) => ({ type: "image" as const, data, mimeType: mediaType })),
    ...notes,
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

/** Returns a function that passes a tool's progress on, if the client wants it. In MCP progress must increase; other reports are dropped. */
function progressTo({ mcpReq }: ServerContext): ((progress: Progress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let last = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }) => {
    // JSON has no infinite numbers.
    if (!Number.isFinite(progress) || progress <= last || mcpReq.signal.aborted) return;
    last = progress;
    const params = {
      progressToken,
      progress,
      ...(total !== undefined && Number.isFinite(total) && { total }),
      ...(message !== undefined && { message }),
    };
    // A client that is gone gets no progress either.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

/** Names of tools, each as in a rule: with a trailing `*`, all that begin so. Absent: all but those of MCP servers. */
export type WantedTools = readonly string[] | undefined;

/** How the names of tools begin that `ikigai mcp add` makes: a client has its own way to their servers. */
const serverPrefix = "mcp__";

/** The tools that a client gets, sorted by name. */
export function offeredTools({ tools }: Registry, wanted: WantedTools): RegisteredTool[] {
  return tools.filter(({ name }) =>
    wanted === undefined ? !name.startsWith(serverPrefix) : wanted.some((tool) => namesTool({ tool }, name)),
  );
}

/**
 * Reads `--tools`.
 *
 * @throws UsageError for an empty list.
 */
export function readToolNames(given: string | undefined): WantedTools {
  if (given === undefined) return undefined;
  const names = given.split(",").map((name) => name.trim());
  if (names.every((name) => name !== "")) return names;
  throw new UsageError(`Expected --tools to be names with commas between them, got ${JSON.stringify(given)}.`);
}

/** @throws UsageError if a name means no tool that is loaded. */
export function requireTools({ tools, failed }: Registry, wanted: readonly string[]): void {
  for (const tool of wanted) {
    if (tools.some(({ name }) => namesTool({ tool }, name))) continue;
    const failure = failed.find(({ name }) => name === tool);
    const why = failure
      ? `--tools: ${tool} is not loaded (${failure.reason})`
      : tool === "agent"
        ? "--tools: agent works only in a conversation of ikigai"
        : `--tools: no tool ${JSON.stringify(tool)}`;
    const known = tools.map(({ name }) => name);
    throw new UsageError(`${why}. Known: ${known.join(", ")}.`, { got: tool, known });
  }
}

/** What a client learns about a tool. */
export function toMcpTool({ name, schema }: RegisteredTool): Tool {
  const { description, title, parameters, outputSchema, annotations } = schema;
  return {
    name,
    ...(title !== undefined && { title }),
    description,
    inputSchema: objectSchema(parameters),
    ...(outputSchema && { outputSchema: objectSchema(outputSchema) }),
    ...(annotations && { annotations }),
  };
}

/** A property `true` or `false` is valid in JSON Schema; clients of 2025 refuse a whole list because of it. */
function objectSchema({ properties, ...rest }: JsonObject) {
  const entries = Object.entries(isJsonObject(properties) ? properties : {}).map(
    ([name, schema]): [string, JsonValue] => {
      return [name, typeof schema === "boolean" ? (schema ? {} : { not: {} }) : schema];
    },
  );
  return { ...rest, type: "object" as const, properties: Object.fromEntries(entries) };
}
