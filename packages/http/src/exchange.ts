import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import http from "node:http";
import type { LookupFunction, Socket } from "node:net";
import { cannotReachProxy, proxyFault, proxyRefusal } from "@ikigai/system";
import { proxyHeaders } from "@ikigai/system/proxy";
import type { Admission } from "./address-policy.ts";
import { maxHeaderBytes } from "./limits.ts";
import { WebError } from "./web-error.ts";

/** One request, without its redirects. */
export interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The proxy that the request goes to, if any. */
  readonly proxy: URL | undefined;
  readonly admission: Admission;
  readonly signal: AbortSignal;
}

/** A response whose body has not been read. */
export interface Head {
  readonly response: IncomingMessage;
  /** The address that was connected to; `undefined` behind a proxy. */
  readonly address: string | undefined;
}

/** How long one of several addresses may take before the next is tried as well, in milliseconds. Node's 250 are too few for a slow network. */
export const attemptMs = 1_000;

/**
 * Sends a request and waits for the headers of its response. The only names that are resolved are those that `lookupFor` resolves, once,
 * and what it returns is what is connected to.
 *
 * @throws the errors of Node; ProxyError; WebError `BLOCKED_ADDRESS`.
 */
export async function exchange(wanted: Exchange): Promise<Head> {
  const { url, proxy, signal } = wanted;
  if (proxy === undefined) return send(moduleFor(url).request(direct(wanted)), wanted);
  if (url.protocol === "http:") {
    return send(moduleFor(proxy).request(throughProxy(wanted, proxy)), wanted).catch((error) => {
      throw proxyFault(error, url, proxy);
    });
  }
  const socket = await openTunnel(url, proxy, signal);
  // The connection exists, so nothing is resolved.
  return send(
    moduleFor(url).request({ ...common(wanted), ...serverOf(url), path: pathOf(url), socket } as RequestOptions),
    wanted,
  );
}

function direct(wanted: Exchange): RequestOptions {
  const { url, admission } = wanted;
  const lookup = lookupFor(admission);
  return {
    ...common(wanted),
    ...serverOf(url),
    path: pathOf(url),
    lookup,
    autoSelectFamilyAttemptTimeout: attemptMs,
  } as RequestOptions;
}

/** Many proxies allow tunnels to port 443 only, so a request for http goes to the proxy itself. */
function throughProxy(wanted: Exchange, proxy: URL): RequestOptions {
  const options = common(wanted);
  const headers = { ...options.headers, ...proxyHeaders(proxy), host: wanted.url.host };
  return { ...options, ...serverOf(proxy), path: wanted.url.href, headers };
}

function common({ method, headers, signal }: Exchange) {
  // Certificates are checked even if NODE_TLS_REJECT_UNAUTHORIZED says otherwise. No connection is kept: the next call may have other rules.
  return { method, headers, signal, agent: false, maxHeaderSize: maxHeaderBytes, rejectUnauthorized: true } as const;
}

function pathOf({ pathname, search }: URL): string {
  return pathname + search;
}

function send(request: ClientRequest, { url, body, proxy, admission }: Exchange): Promise<Head> {
  const peer = proxy && url.protocol === "http:" ? `The proxy ${proxy.host}` : url.host;
  let address: string | undefined;
  if (proxy === undefined)
    request.once("socket", (socket) => {
      socket.once("connect", () => {
        address = socket.remoteAddress;
      });
      refuseOwn(socket, admission);
    });
  return new Promise((resolve, reject) => {
    request.once("response", (response) => resolve({ response, address }));
    request.on("error", reject);
    // Node closes the connection without an error if the server changes the protocol.
    request.once("close", () =>
      reject(new WebError("CONNECT_FAILED", `${peer} closed the connection without a response.`)),
    );
    request.end(body);
  });
}

/** Ends a connection that turns out to lead to this computer. The system lists no address of an interface that is down, but answers at it. */
export function refuseOwn(socket: Socket, admission: Admission): void {
  socket.once("connect", () => {
    const { remoteAddress: address, localAddress } = socket;
    if (address !== undefined && address === localAddress && !admission.mayBeOwn(address))
      socket.destroy(admission.blocked([{ address }]));
  });
}

/** Resolves a name once, to those of its addresses that may be connected to. */
export function lookupFor({ usable, blocked }: Admission): LookupFunction {
  return (hostname, options, callback) => {
    const { lookup } = process.getBuiltinModule("node:dns");
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const left = usable(found);
      const [first] = left;
      if (first === undefined) return callback(blocked(found), []);
      return options.all ? callback(null, left) : callback(null, first.address, first.family);
    });
  };
}

/**
 * Opens a connection to the host of an https URL through a proxy (CONNECT).
 *
 * @throws ProxyError `network` if the proxy cannot be reached or refuses.
 */
export function openTunnel(url: URL, proxy: URL, signal: AbortSignal): Promise<Socket> {
  const target = `${url.hostname}:${url.port || 443}`;
  const request = moduleFor(proxy).request({
    ...serverOf(proxy),
    method: "CONNECT",
    path: target,
    headers: { host: target, ...proxyHeaders(proxy) },
    agent: false,
    signal,
    maxHeaderSize: maxHeaderBytes,
    rejectUnauthorized: true,
  } as RequestOptions);
  return new Promise((resolve, reject) => {
    request.once("connect", ({ statusCode = 0, statusMessage }, socket: Socket, head) => {
      if (statusCode === 200 && head.length === 0) return resolve(socket);
      socket.destroy();
      return reject(proxyRefusal(proxy, statusCode, statusMessage));
    });
    // A proxy that ignores CONNECT and answers as to any request.
    request.once("response", (response) => {
      response.destroy();
      reject(proxyRefusal(proxy, response.statusCode ?? 0));
    });
    request.once("error", (error) => reject(cannotReachProxy(proxy, error)));
    request.once("close", () => reject(cannotReachProxy(proxy, new Error("it closed the connection"))));
    request.end();
  });
}

/** Returns `node:https` or `node:http`. TLS is loaded only for https, since loading it takes several milliseconds. */
export function moduleFor({ protocol }: URL): Pick<typeof http, "request"> {
  return protocol === "https:" ? process.getBuiltinModule("node:https") : http;
}

/** Where a request for a URL connects to. */
export function serverOf(url: URL): { protocol: string; hostname: string; port: string } {
  const { protocol, hostname, port } = url;
  return { protocol, hostname: hostname.replace(/^\[|\]$/g, ""), port };
}
