import { setTimeout as sleep } from "node:timers/promises";
import { ProtocolError } from "@modelcontextprotocol/client";
import { changesSince, recordChanges } from "../server/changes-file.ts";
import type { Connection } from "./connect.ts";
import { listTools } from "./list-tools.ts";
import type { Bridge } from "./open-bridge.ts";
import type { ServerPlace } from "./server-place.ts";

/** How long the list may take, in milliseconds. */
const listMs = 30_000;

/** The shortest time between two lists, in milliseconds: a server may say at any rate that its tools have changed. */
const pauseMs = 1_000;

/** How long to wait before a stream of notifications is opened again, at first and at most, in milliseconds. */
const [reopenMs, maxReopenMs] = [1_000, 600_000];

/** Compares the server's list with the added tools, now and whenever the server says that it has changed; records the difference. */
export function watchList({ pack, dataDir }: Bridge, connection: Connection, place: ServerPlace): void {
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
