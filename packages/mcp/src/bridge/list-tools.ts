import { isDeeperThan, isJsonObject, type JsonObject, textStart } from "@ikigai/protocol";
import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { type ListedTool, readListedTool } from "../definitions/listed-tool.ts";
import { BridgeError } from "./bridge-error.ts";
import type { Connection } from "./connect.ts";
import { requestFailure } from "./request-failure.ts";
import type { ServerPlace } from "./server-place.ts";

/** More than any server has. */
const maxListed = 5_000;
const maxPages = 64;
const maxListedBytes = 16 * 1_048_576;

/** Deeper than any real definition, in levels. */
const maxDepth = 1_000;

/** The schema of every result: the library would reject the whole list for one tool in it that is invalid. */
const anyObject: StandardSchemaV1<unknown, JsonObject> = {
  "~standard": {
    version: 1,
    vendor: "ikigai",
    validate: (value) => (isJsonObject(value) ? { value } : { issues: [{ message: "Expected an object." }] }),
  },
};

/** Asks a server for all of its tools. @throws BridgeError if there is no end of them, and the errors of the library. */
export async function listTools(
  connection: Connection,
  place: ServerPlace,
  timeoutMs: number,
): Promise<readonly ListedTool[]> {
  const { client } = connection;
  if (client.getServerCapabilities()?.tools === undefined) return [];
  const untilMs = performance.now() + timeoutMs;
  const listed: ListedTool[] = [];
  let bytes = 0;
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const timeout = Math.max(1, untilMs - performance.now());
    const { tools, nextCursor } = await client
      .request({ method: "tools/list", params }, anyObject, { timeout })
      .catch(async (error) => {
        throw await requestFailure(connection, place, error, "list");
      });
    for (const tool of Array.isArray(tools) ? tools : []) {
      const read = readListedTool(tool);
      // One that is nested too deeply to be counted is left out later.
      if (!read || isDeeperThan(tool, maxDepth)) continue;
      bytes += JSON.stringify(read).length;
      listed.push(read);
    }
    if (listed.length > maxListed || bytes > maxListedBytes) break;
    if (typeof nextCursor !== "string" || nextCursor === cursor) return listed;
    cursor = nextCursor;
  }
  throw new BridgeError(
    "MCP_REQUEST_FAILED",
    `The tool list of the MCP server ${place.name} is too long: more than ${maxListed} tools, ${maxPages} pages or ${maxListedBytes} bytes.`,
  );
}

/** The server's own name and version, if it has told them in a usable form. */
export function serverInfo({ client }: Connection): { readonly name: string; readonly version: string } | undefined {
  const info: unknown = client.getServerVersion();
  if (!isJsonObject(info) || typeof info.name !== "string") return undefined;
  const { name, version } = info;
  return { name: textStart(name, maxInfo), version: typeof version === "string" ? textStart(version, maxInfo) : "" };
}

/** How much of its own name and version counts, in characters. */
const maxInfo = 100;
