import { isJsonObject, type JsonValue } from "@ikigai/protocol";
import { type ListedTool, readListedTool } from "../definitions/listed-tool.ts";
import { BridgeError } from "./bridge-error.ts";
import type { Connection } from "./connect.ts";

/** More than any server has. */
const maxListed = 5_000;
const maxPages = 64;
const maxListedBytes = 16 * 1_048_576;

/** Asks a server for all of its tools. @throws BridgeError if there is no end of them, and the errors of the library. */
export async function listTools(
  { client }: Connection,
  name: string,
  timeoutMs: number,
): Promise<readonly ListedTool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const untilMs = performance.now() + timeoutMs;
  const listed: ListedTool[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result = await client.request(
      { method: "tools/list", params },
      { timeout: Math.max(1, untilMs - performance.now()) },
    );
    bytes += JSON.stringify(result.tools).length;
    // The library's objects are JSON, with types of its own.
    const tools: unknown = result.tools;
    listed.push(...(Array.isArray(tools) ? tools : []).flatMap((tool: JsonValue) => readListedTool(tool) ?? []));
    if (listed.length > maxListed || bytes > maxListedBytes) break;
    if (result.nextCursor === undefined || result.nextCursor === cursor) return listed;
    cursor = result.nextCursor;
  }
  throw new BridgeError(
    "MCP_REQUEST_FAILED",
    `The tool list of the MCP server ${name} is too long: more than ${maxListed} tools, ${maxPages} pages or ${maxListedBytes} bytes.`,
  );
}

/** The server's own name and version, if it has told them in a usable form. */
export function serverInfo({ client }: Connection): { readonly name: string; readonly version: string } | undefined {
  const info: unknown = client.getServerVersion();
  if (!isJsonObject(info) || typeof info.name !== "string") return undefined;
  return { name: info.name, version: typeof info.version === "string" ? info.version : "" };
}
