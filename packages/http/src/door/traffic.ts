import type { Socket } from "node:net";
import type { Target } from "./target.ts";

/** What a tool, or one of its calls, exchanged with one host. */
export interface Traffic extends Target {
  readonly connections: number;
  /** Bytes to the host and from it, of TCP's content. */
  readonly sent: number;
  readonly received: number;
  /** Why the host was last refused: `host HOST: REASON`. Absent if it was not. */
  readonly refused?: string;
  /** How often, if it was. */
  readonly refusals?: number;
}

interface Entry {
  readonly target: Target;
  connections: number;
  sent: number;
  received: number;
  refused?: string;
  refusals: number;
  readonly open: Set<Socket>;
}

/** How many hosts are kept. A program that tries names one by one must not fill the memory. */
const maxEntries = 10_000;

/** Counts what goes through, by tool, call, host and port. */
export function trafficLog() {
  const entries = new Map<string, Entry>();
  const entryOf = (target: Target): Entry | undefined => {
    const key = JSON.stringify([target.tool, target.call, target.host, target.port]);
    const known = entries.get(key);
    if (known || entries.size >= maxEntries) return known;
    const entry: Entry = { target, connections: 0, sent: 0, received: 0, refusals: 0, open: new Set() };
    entries.set(key, entry);
    return entry;
  };
  return {
    count(target: Target, socket: Socket): void {
      const entry = entryOf(target);
      if (!entry) return;
      entry.connections++;
      entry.open.add(socket);
      socket.once("close", () => {
        entry.open.delete(socket);
        entry.sent += socket.bytesWritten;
        entry.received += socket.bytesRead;
      });
    },
    refuse(target: Target, text: string): void {
      const entry = entryOf(target);
      if (!entry) return;
      entry.refused = text;
      entry.refusals++;
    },
    list(): readonly Traffic[] {
      return [...entries.values()].map(({ target, connections, sent, received, refused, refusals, open }) => {
        const now = [...open];
        return {
          ...target,
          connections,
          sent: now.reduce((sum, { bytesWritten }) => sum + bytesWritten, sent),
          received: now.reduce((sum, { bytesRead }) => sum + bytesRead, received),
          ...(refused !== undefined && { refused, refusals }),
        };
      });
    },
  };
}
