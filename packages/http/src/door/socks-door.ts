import type { Socket } from "node:net";
import { WebError } from "../web-error.ts";
import type { Inside } from "./admission.ts";
import { pipeBoth, reach } from "./reach.ts";
import { type Asker, readTarget, type Target } from "./target.ts";

// SOCKS5: RFC 1928, with the user name and password of RFC 1929.

export const socksVersion = 5;
const loginVersion = 1;
const methods = { login: 2, none: 0xff };
const connectCommand = 1;
const addressTypes = { ipv4: 1, name: 3, ipv6: 4 };
const replies = {
  ok: 0,
  failed: 1,
  notAllowed: 2,
  hostUnreachable: 4,
  refused: 5,
  commandUnknown: 7,
  addressUnknown: 8,
};

/** How long the greeting, the login and the request may take together, in milliseconds. */
const handshakeMs = 10_000;

/** Returns what serves a connection that speaks SOCKS5. */
export function acceptSocks(inside: Inside): (socket: Socket) => void {
  return (socket) => {
    serve(socket, inside).catch(() => socket.destroy());
  };
}

async function serve(socket: Socket, inside: Inside): Promise<void> {
  const timer = setTimeout(() => socket.destroy(), handshakeMs);
  socket.once("close", () => clearTimeout(timer));
  const { read, release } = reader(socket);
  const asker = await login(socket, read, inside);
  if (asker === undefined) return void socket.end();
  const target = await readRequest(read, asker);
  release();
  clearTimeout(timer);
  if (typeof target === "number") return void socket.end(reply(target));
  try {
    const upstream = await inside.open(target, (verdict) => reach(target, verdict, inside.env));
    inside.count(target, upstream);
    if (socket.destroyed) return void upstream.destroy();
    socket.write(reply(replies.ok));
    pipeBoth(socket, upstream);
  } catch (error) {
    if (!(error instanceof WebError)) throw error;
    socket.end(reply(replyOf(error)));
  }
}

type Read = (bytes: number) => Promise<Buffer>;

/** More than the greeting, the login and the request take together, in bytes. */
const maxHandshakeBytes = 4_096;

/** Reads piece by piece. Rejects if the socket ends before. `release` leaves it paused, with what was not read. */
function reader(socket: Socket): { readonly read: Read; readonly release: () => void } {
  let kept = Buffer.alloc(0);
  let hasEnded = false;
  let wake = () => {};
  const keep = (chunk: Buffer) => {
    kept = Buffer.concat([kept, chunk]);
    if (kept.length > maxHandshakeBytes) socket.destroy();
    wake();
  };
  const end = () => {
    hasEnded = true;
    wake();
  };
  socket.on("data", keep).once("end", end).once("close", end);
  socket.resume();
  return {
    async read(bytes) {
      while (kept.length < bytes) {
        if (hasEnded) throw new WebError("CONNECT_FAILED", "The client has left.");
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const piece = kept.subarray(0, bytes);
      kept = kept.subarray(bytes);
      return piece;
    },
    release() {
      socket.pause();
      socket.off("data", keep).off("end", end).off("close", end);
      if (kept.length > 0) socket.unshift(kept);
    },
  };
}

async function login(socket: Socket, read: Read, inside: Inside): Promise<Asker | undefined> {
  const [, count = 0] = await read(2);
  const offered = await read(count);
  if (!offered.includes(methods.login)) {
    socket.write(Buffer.from([socksVersion, methods.none]));
    return undefined;
  }
  socket.write(Buffer.from([socksVersion, methods.login]));
  const [version, userLength = 0] = await read(2);
  const user = await read(userLength);
  const [passwordLength = 0] = await read(1);
  const password = await read(passwordLength);
  const asker = version === loginVersion ? inside.askerOf(user.toString(), password.toString()) : undefined;
  socket.write(Buffer.from([loginVersion, asker === undefined ? 1 : 0]));
  return asker;
}

/** Returns the target of the request, or the code of a reply. */
async function readRequest(read: Read, asker: Asker): Promise<Target | number> {
  const [version, command, , type] = await read(4);
  if (version !== socksVersion) return replies.failed;
  const host = await readHost(read, type);
  if (host === undefined) return replies.addressUnknown;
  const port = (await read(2)).readUInt16BE();
  if (command !== connectCommand) return replies.commandUnknown;
  return readTarget(`${host}:${port}`, asker) ?? replies.addressUnknown;
}

async function readHost(read: Read, type: number | undefined): Promise<string | undefined> {
  if (type === addressTypes.ipv4) return [...(await read(4))].join(".");
  if (type === addressTypes.ipv6) {
    const groups = (await read(16)).toString("hex").match(/.{4}/g) ?? [];
    return `[${groups.join(":")}]`;
  }
  if (type !== addressTypes.name) return undefined;
  const [length = 0] = await read(1);
  return length === 0 ? undefined : (await read(length)).toString("latin1");
}

/** A reply. It does not name the address that the server is connected from. */
function reply(code: number): Buffer {
  return Buffer.from([socksVersion, code, 0, addressTypes.ipv4, 0, 0, 0, 0, 0, 0]);
}

function replyOf({ code }: WebError): number {
  if (code === "BLOCKED_ADDRESS") return replies.notAllowed;
  return code === "DNS_FAILED" ? replies.hostUnreachable : replies.refused;
}
