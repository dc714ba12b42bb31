// One request to one server, directly or through a proxy, until the headers of its response have arrived; and what went wrong, in words.
// Who connects decides which addresses of a name may be used; what is resolved is what is connected to.

import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import http from "node:http";
import type { LookupFunction, Socket } from "node:net";
import type { Admission } from "./address-policy.ts";
import { isLoopback } from "./addresses.ts";
import { ProxyError, WebError } from "./errors.ts";
import { cannotReachProxy, proxyFault, proxyHeaders, proxyRefusal } from "./proxy.ts";
import { hostOf, hostRule } from "./web-url.ts";

/** What one request may take. */
export interface Limits {
  /** All of it, redirects included, in milliseconds. */
  readonly totalMs: number;
  /** Until the headers of a response have arrived, in milliseconds. */
  readonly firstByteMs: number;
  /** The body after decoding, and before, in bytes. */
  readonly bodyBytes: number;
  readonly redirects: number;
}

/** A person waits: most pages take less than a second. 10 MiB of text are 100 times what a model can read. */
export const defaultLimits: Limits = {
  totalMs: 25_000,
  firstByteMs: 10_000,
  bodyBytes: 10_485_760,
  redirects: 5,
};

/** How much of the body of an error is read, in bytes. */
export const maxErrorBytes = 65_536;

/** The longest headers, in bytes: Node's own default, whatever NODE_OPTIONS says. */
export const maxHeaderBytes = 16_384;

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

type Environment = Readonly<Record<string, string | undefined>>;

const dnsCode = /^(?:ENOTFOUND|EAI_)/;
const tlsCode =
  /^(?:CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/;
/** The codes of zlib and brotli. */
const damagedCode = /^(?:Z_|ERR__ERROR_|ERR_BROTLI)/;

/** What fails without a network. */
const unreachableCode = /^(?:ENOTFOUND|EAI_|ENETUNREACH|EHOSTUNREACH|ECONNREFUSED|EADDRNOTAVAIL|EPERM)/;

/** Turns what a request failed with into a failure for the model. Returns a bug unchanged. */
export function explainFailure(error: unknown, url: URL, env: Environment): unknown {
  if (error instanceof WebError) return error;
  const code = codeOf(error);
  const isUnreachable = error instanceof ProxyError ? error.options.status === undefined : unreachableCode.test(code);
  if (isUnreachable && isOffline(env, code)) return offline(url);
  if (error instanceof ProxyError) return new WebError("CONNECT_FAILED", error.message);
  const { message } = error as Error;
  if (code === "") return error;
  if (dnsCode.test(code)) return new WebError("DNS_FAILED", `Host not found: ${url.hostname} (${code}).`);
  if (tlsCode.test(code)) return tlsFailed(url, code, message);
  if (code === "HPE_HEADER_OVERFLOW")
    return new WebError("CONNECT_FAILED", `The headers of the response of ${url.host} are longer than 16 KiB.`);
  if (code.startsWith("HPE_"))
    return new WebError("CONNECT_FAILED", `${url.host} did not send a valid HTTP response (${code}).`);
  if (damagedCode.test(code))
    return new WebError("CONNECT_FAILED", `The compressed response of ${url.host} is damaged (${code}).`);
  if (code === "ERR_STREAM_PREMATURE_CLOSE" || message === "aborted")
    return new WebError("CONNECT_FAILED", `${url.host} closed the connection before the response was complete.`);
  return new WebError("CONNECT_FAILED", `Cannot connect to ${url.host}: ${message || code}.`);
}

function tlsFailed(url: URL, code: string, message: string): WebError {
  if (/EPROTO|ERR_SSL/.test(code))
    return new WebError("TLS_FAILED", `${url.host} does not accept a TLS connection (${code}).`, {
      hint: "Should the URL begin with http://?",
    });
  const steps = [
    `If ${url.host} has a certificate of your own authority, start ikigai with NODE_EXTRA_CA_CERTS set to its file.`,
  ];
  return new WebError("TLS_FAILED", `Rejected the certificate of ${url.host}: ${message} (${code}).`, {
    help: { steps },
  });
}

/** Whether the tool runs in a sandbox without network: on Linux only the loopback interface is left, macOS forbids the connection. */
function isOffline({ IKIGAI_SANDBOX }: Environment, code: string): boolean {
  if (IKIGAI_SANDBOX === undefined) return false;
  if (code === "EPERM") return true;
  const { networkInterfaces } = process.getBuiltinModule("node:os");
  return Object.values(networkInterfaces()).every((addresses = []) => addresses.every(({ internal }) => internal));
}

function offline(url: URL): WebError {
  const steps = [`If it is meant to be reachable, allow it with the rule ${ruleToOpen(url)}.`];
  return new WebError("CONNECT_FAILED", `Cannot connect to ${url.host} from the sandbox.`, { help: { steps } });
}

/** The rule that opens the host of a URL. In a sandbox, its own localhost is another one than that of the machine. */
function ruleToOpen(url: URL): string {
  const host = hostOf(url);
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return isLoopback(host) ? `host(localhost:${port})` : hostRule({ host, port });
}

/** The code of the error, of the connection to the proxy if that is the one that failed. */
function codeOf(error: unknown): string {
  const failed = error instanceof ProxyError ? error.cause : error;
  const code = failed instanceof Error ? (failed as NodeJS.ErrnoException).code : undefined;
  return typeof code === "string" ? code : "";
}
