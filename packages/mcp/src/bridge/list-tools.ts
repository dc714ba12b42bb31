import { setTimeout as sleep } from "node:timers/promises";
import { isDeeperThan, isJsonObject, type JsonObject, textStart } from "@ikigai/protocol";
import { ProtocolError, type StandardSchemaV1 } from "@modelcontextprotocol/client";
import { type ListedTool, readListedTool } from "../definitions/listed-tool.ts";
import { changesSince, recordChanges, type ServerPackage } from "../server/server-file.ts";
import { BridgeError } from "./bridge-error.ts";
import { requestFailure } from "./call-server.ts";
import type { Connection } from "./connect.ts";
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

/** How long the list may take, in milliseconds. */
const listMs = 30_000;

/** The shortest time between two lists, in milliseconds: a server may say at any rate that its tools have changed. */
const pauseMs = 1_000;

/** How long to wait before a stream of notifications is opened again, at first and at most, in milliseconds. */
const [reopenMs, maxReopenMs] = [1_000, 600_000];

/** Compares the server's list with the added tools, now and whenever the server says that it has changed; records the difference. */
export function watchList(
  { pack, dataDir }: { readonly pack: ServerPackage; readonly dataDir: string },
  connection: Connection,
  place: ServerPlace,
): void {
  const look = once(async () => {
    try {
      const listed = await listTools(connection, place, listMs);
      recordChanges(dataDir, changesSince(pack.server, pack.tools, listed));
    } catch {
      // The next start looks again.
    }
  });
  connection.client.setNotificationHandler("notifications/tools/list_changed", look);
  look();
  void subscribe(connection, look);
}

/** Returns a function that starts some work, and repeats it once if it is wanted again meanwhile. */
function once(work: () => Promise<void>): () => void {
  let [isRunning, isWanted] = [false, false];
  const run = async () => {
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await work();
      await sleep(pauseMs, undefined, { ref: false });
    }
    isRunning = false;
  };
  return () => {
    isWanted = true;
    if (!isRunning) void run();
  };
}

/** Asks for notifications, as the protocol of 2026 demands, for as long as the server takes the request. */
async function subscribe({ client, ended }: Connection, look: () => void): Promise<void> {
  if (client.getProtocolEra() !== "modern" || !client.getServerCapabilities()?.tools?.listChanged) return;
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  for (let waitMs = reopenMs; !isOver; waitMs = Math.min(2 * waitMs, maxReopenMs)) {
    const openedMs = performance.now();
    try {
      const { closed } = await client.listen({ toolsListChanged: true }, { timeout: listMs });
      await closed;
    } catch (error) {
      // It does not want to.
      if (error instanceof ProtocolError) return;
    }
    if (performance.now() - openedMs > waitMs) waitMs = reopenMs;
    await sleep(waitMs, undefined, { ref: false });
    // It may have changed meanwhile.
    if (!isOver) look();
  }
}
