// The door of a network that leads nowhere else: a proxy for HTTP and SOCKS5 on one port. A connection is taken in this order: who asks
// (the user name of the proxy's URL), what the rules say about the host, a question if they say nothing, the name's addresses by the
// address policy, the connection. TLS is never opened. A client can fill its own connections only: their number is limited.
// The folder: door ← protocols (what clients speak) ← reach (who may).

import type { Server, Socket } from "node:net";
import type { Target } from "../web-url.ts";
import { acceptHttp, acceptSocks, socksVersion } from "./protocols.ts";
import { admission, type DoorOptions, type Inside, inWords, isBlocked, pipeBoth, reach } from "./reach.ts";

export type { Asker, Target } from "../web-url.ts";
export type { AskedTarget, DoorOptions, HostAnswer, HostVerdict, OwnAnswer } from "./reach.ts";

/** An open door. */
export interface Door {
  /** Serves the proxy on a server that listens. */
  serve(server: Server): void;
  /** Connects a server that listens to a port of this machine's localhost, for programs without support for proxies. */
  forward(server: Server, port: number): void;
  /** What went through, in the order in which the hosts were first named. */
  traffic(): readonly Traffic[];
  /** Closes all connections, and the servers. */
  close(): void;
}

/** More than browsers and package managers open at once; each costs the host two descriptors. */
const maxConnections = 200;

/** How long a client may take to say what it wants, in milliseconds. */
const silentMs = 30_000;

/** After this time without traffic, the system checks that the other end still exists, in milliseconds. */
const keepAliveMs = 60_000;

/** Opens the door. It listens nowhere itself. */
export function openDoor(options: DoorOptions): Door {
  const { env, askerOf, answerOwn } = options;
  const admit = admission(options);
  const log = trafficLog();
  const inside: Inside = {
    env,
    askerOf,
    answerOwn,
    count: log.count,
    async open(target, action) {
      try {
        return await action(await admit(target));
      } catch (error) {
        const reason = inWords(error, target, options);
        if (isBlocked(reason)) log.refuse(target, reason.message);
        throw reason;
      }
    },
  };
  const acceptors = { http: acceptHttp(inside), socks: acceptSocks(inside) };
  const servers = new Set<Server>();
  const sockets = new Set<Socket>();
  const listen = (server: Server, accept: (socket: Socket) => void) => {
    servers.add(server);
    server.maxConnections = maxConnections;
    // What a client still gets after it has said everything.
    (server as Server & { allowHalfOpen: boolean }).allowHalfOpen = true;
    server.on("error", () => {});
    server.on("connection", (socket) => {
      if (sockets.size >= maxConnections) return socket.destroy();
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => sockets.delete(socket));
      socket.setKeepAlive(true, keepAliveMs);
      return accept(socket);
    });
  };
  return {
    serve: (server) => listen(server, (socket) => greet(socket, acceptors)),
    forward: (server, port) =>
      listen(server, (socket) => void forwardTo({ host: "localhost", port, tool: "" }, socket, inside)),
    traffic: log.list,
    close() {
      for (const socket of sockets) socket.destroy();
      for (const server of servers) server.close();
    },
  };
}

/** Looks at the first byte: SOCKS5 begins with its version, HTTP with a letter. */
function greet(socket: Socket, { http, socks }: Record<"http" | "socks", (socket: Socket) => void>): void {
  const leave = () => void socket.destroy();
  socket.setTimeout(silentMs, leave);
  socket.once("end", leave);
  socket.once("data", (chunk) => {
    socket.pause();
    socket.off("timeout", leave);
    socket.off("end", leave);
    socket.setTimeout(0);
    socket.unshift(chunk);
    (chunk[0] === socksVersion ? socks : http)(socket);
  });
}

async function forwardTo(target: Target, socket: Socket, inside: Inside): Promise<void> {
  socket.pause();
  try {
    const upstream = await inside.open(target, (verdict) => reach(target, verdict, inside.env));
    inside.count(target, upstream);
    pipeBoth(socket, upstream);
  } catch {
    socket.destroy();
  }
}

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
