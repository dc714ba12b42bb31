import type { Server, Socket } from "node:net";
import { admission, type DoorOptions, type Inside, inWords, isBlocked } from "./admission.ts";
import { acceptHttp } from "./http-door.ts";
import { pipeBoth, reach } from "./reach.ts";
import { acceptSocks, socksVersion } from "./socks-door.ts";
import type { Target } from "./target.ts";
import { type Traffic, trafficLog } from "./traffic.ts";

/*
 * The door of a network that leads nowhere else: a proxy for HTTP and SOCKS5 on one port. A connection is taken in this order: who asks
 * (the user name of the proxy's URL), what the rules say about the host, a question if they say nothing, the name's addresses by the
 * address policy, the connection. TLS is never opened. A client can fill its own connections only: their number is limited.
 */

export type { DoorOptions, HostAnswer, HostVerdict } from "./admission.ts";
export type { Asker, Target } from "./target.ts";
export type { Traffic } from "./traffic.ts";

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
  const { env, askerOf } = options;
  const admit = admission(options);
  const log = trafficLog();
  const inside: Inside = {
    env,
    askerOf,
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
