// What clients of the door speak: HTTP (CONNECT, and requests for whole URLs), and SOCKS5 (RFC 1928, with the user name and password of
// RFC 1929). Both say who asks, name a host, and get a connection or a refusal.

import http, { type IncomingMessage, type RequestOptions, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { parseObject } from "@ikigai/system";
import { WebError, type WebErrorCode } from "../errors.ts";
import { attemptMs, explainFailure, lookupFor, maxHeaderBytes, moduleFor, refuseOwn, serverOf } from "../exchange.ts";
import { proxyFault, proxyFor, proxyHeaders } from "../proxy.ts";
import { type Asker, readTarget, type Target } from "../web-url.ts";
import { admissionFor, type HostVerdict, type Inside, type OwnAnswer, ownHost, pipeBoth, reach } from "./reach.ts";

/** Headers that are about one connection, not about the request. */
const hopHeaders = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

const challenge = 'Basic realm="ikigai"';
const needsLogin = "This proxy needs the user name and password of HTTP_PROXY.\n";

/** Returns what serves a connection that speaks HTTP: CONNECT, and requests for whole URLs. */
export function acceptHttp(inside: Inside): (socket: Socket) => void {
  const server = http.createServer({ maxHeaderSize: maxHeaderBytes, requestTimeout: 0 });
  server.on("request", (request, response) => {
    const closed = new AbortController();
    response.once("close", () => closed.abort());
    forward(request, response, inside, closed.signal).catch((error) => {
      if (error instanceof WebError) answer(response, statusOf(error), error.message);
      else response.destroy();
    });
  });
  server.on("connect", (request, socket: Socket, head) => {
    socket.on("error", () => {});
    tunnel(request, socket, head, inside).catch((error) => {
      if (error instanceof WebError) end(socket, statusOf(error), error.message);
      else socket.destroy();
    });
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
    else end(socket, error.code === "HPE_HEADER_OVERFLOW" ? 431 : 400, "This is not a request for a proxy.");
  });
  return (socket) => {
    server.emit("connection", socket);
    socket.resume();
  };
}

/** Who sends a request; `undefined` if it must log in. */
function askerOf({ headers }: IncomingMessage, inside: Inside): Asker | undefined {
  const [, encoded] = /^basic +([a-z0-9+/=]+)$/i.exec(headers["proxy-authorization"] ?? "") ?? [];
  const [user = "", password = ""] = Buffer.from(encoded ?? "", "base64")
    .toString()
    .split(/:(.*)/s);
  return inside.askerOf(user, password);
}

async function tunnel(request: IncomingMessage, socket: Socket, head: Buffer, inside: Inside): Promise<void> {
  const asker = askerOf(request, inside);
  if (asker === undefined) return end(socket, 407, needsLogin, `Proxy-Authenticate: ${challenge}\r\n`);
  const target = readTarget(request.url ?? "", asker);
  if (!target) return end(socket, 400, "Write CONNECT HOST:PORT.");
  const upstream = await inside.open(target, (verdict) => reach(target, verdict, inside.env));
  inside.count(target, upstream);
  if (socket.destroyed) return void upstream.destroy();
  socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.length > 0) upstream.write(head);
  pipeBoth(socket, upstream);
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  inside: Inside,
  signal: AbortSignal,
): Promise<void> {
  const asker = askerOf(request, inside);
  if (asker === undefined) {
    response.setHeader("proxy-authenticate", challenge);
    return answer(response, 407, needsLogin);
  }
  const url = URL.canParse(request.url ?? "") ? new URL(request.url ?? "") : undefined;
  if (url?.hostname === ownHost && inside.answerOwn) {
    const own = await answerOwn(inside.answerOwn, { asker, path: url.pathname, request, signal });
    if (own === undefined) return answer(response, 400, "This is no request for ikigai.");
    response.writeHead(200, { "content-type": "application/json", connection: "close" });
    return void response.end(own);
  }
  const target = url?.protocol === "http:" ? readTarget(`${url.hostname}:${url.port || 80}`, asker) : undefined;
  if (!url || !target) return answer(response, 400, "This is a proxy: write http://HOST/PATH, or CONNECT HOST:PORT.");
  return inside.open(target, async (verdict) => {
    try {
      await send({ request, response, url, target, verdict, signal }, inside);
    } catch (error) {
      throw explainFailure(error, url, inside.env);
    }
  });
}

/** More than a message of a commit has, in bytes. */
const maxOwnBytes = 1024 * 1024;

/** Returns the answer of this process, as JSON; `undefined` if it is no request that it knows. */
async function answerOwn(
  answerTo: OwnAnswer,
  { asker, path, request, signal }: { asker: Asker; path: string; request: IncomingMessage; signal: AbortSignal },
): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxOwnBytes) return undefined;
    pieces.push(piece);
  }
  const body = parseObject(Buffer.concat(pieces).toString());
  const own = body && (await answerTo(asker, path, body, signal));
  return own && JSON.stringify(own);
}

/** One request, and where its response goes. */
interface Forwarded {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly target: Target;
  readonly verdict: HostVerdict;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

async function send({ request, response, url, target, verdict, signal }: Forwarded, inside: Inside): Promise<void> {
  const proxy = proxyFor(url, inside.env);
  const admission = admissionFor(target, verdict, { isProxied: proxy !== undefined, env: inside.env });
  // By the URL that was judged, whatever the client writes into Host.
  const headers = { ...endToEnd(request.headers), host: url.host, ...(proxy && proxyHeaders(proxy)) };
  const path = proxy ? `http://${url.host}${url.pathname}${url.search}` : url.pathname + url.search;
  const options = {
    ...serverOf(proxy ?? url),
    ...{ method: request.method, path, headers, agent: false, signal, maxHeaderSize: maxHeaderBytes },
    ...(!proxy && { lookup: lookupFor(admission), autoSelectFamilyAttemptTimeout: attemptMs }),
  } as RequestOptions;
  const outgoing = moduleFor(proxy ?? url).request(options);
  outgoing.once("socket", (socket) => {
    inside.count(target, socket);
    if (!proxy) refuseOwn(socket, admission);
  });
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once("response", resolve);
    outgoing.on("error", (error) => reject(proxyFault(error, url, proxy)));
    request.on("error", (error) => outgoing.destroy(error));
    request.pipe(outgoing);
  });
  response.writeHead(incoming.statusCode ?? 502, incoming.statusMessage, endToEnd(incoming.headers));
  incoming.on("error", () => response.destroy());
  incoming.pipe(response);
}

function endToEnd<Headers extends IncomingMessage["headers"]>(headers: Headers): Headers {
  const own = String(headers.connection ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase());
  const kept = Object.entries(headers).filter(([name]) => !hopHeaders.includes(name) && !own.includes(name));
  return Object.fromEntries(kept) as Headers;
}

const statuses: Partial<Record<WebErrorCode, number>> = { BLOCKED_ADDRESS: 403, TIMEOUT: 504 };

function statusOf({ code }: WebError): number {
  return statuses[code] ?? 502;
}

function answer(response: ServerResponse, status: number, text: string): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`${text.trimEnd()}\n`);
}

/** Answers a CONNECT request, and ends the connection. */
function end(socket: Socket, status: number, text: string, headers = ""): void {
  const body = `${text.trimEnd()}\n`;
  // Most clients show no body of a refusal, and some the reason phrase.
  const reason = status === 403 ? text.replace(/[^ -~]+/g, " ") : http.STATUS_CODES[status];
  const head = `HTTP/1.1 ${status} ${reason}\r\n${headers}Content-Type: text/plain; charset=utf-8\r\n`;
  socket.end(`${head}Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
  // What the client still sends is not read.
  socket.resume();
}

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
