import { lookup as lookUp } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { connect } from "node:tls";
import { type HostPlace, hostOf, isLoopback, isPrivateName, type Surroundings, surroundings } from "@ikigai/http";
import { proxyFor } from "@ikigai/system/proxy";
import type { FetchLike } from "@modelcontextprotocol/client";
import { BridgeError } from "../bridge-error.ts";
import { type ConnectionGuard, createHttpFetch, type HttpFetch } from "../http/http-fetch.ts";

export interface AuthFetchOptions {
  /** The MCP server's name, for errors. */
  readonly server: string;
  /** The MCP server. */
  readonly url: URL;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A `fetch` for the URLs of a login. */
export interface AuthFetch extends HttpFetch, Pick<AddressGuard, "check"> {}

/** How long a request may take, in milliseconds. Other processes wait ten seconds for a refresh. */
const requestMs = 8_000;

/** Creates a `fetch` for the URLs of a login. They come from servers, so they are checked; headers of the entry are not sent there. */
export async function createAuthFetch({ server, url, version, env }: AuthFetchOptions): Promise<AuthFetch> {
  const guard = await guardFor(url, env);
  const { check } = guard;
  const open = createHttpFetch({ server, version, env, guard });
  const fetch: FetchLike = (input, init) => {
    check(new URL(input));
    return open.fetch(input, { ...init, signal: AbortSignal.timeout(requestMs) });
  };
  return { fetch, check, close: open.close };
}

/** Says where the URLs of an authorization server may lead. */
export interface AddressGuard extends ConnectionGuard {
  /** @throws BridgeError if the URL must not be requested. */
  check(url: URL): void;
}

/** What is allowed for each place of the MCP server: nothing that is nearer to the user than the server itself. */
const allowed: Readonly<Record<HostPlace, readonly HostPlace[]>> = {
  computer: ["computer", "network", "internet"],
  network: ["network", "internet"],
  internet: ["internet"],
};

/**
 * Returns a guard for the URLs that come from a server's metadata: https, or http on this computer; and no address that the MCP server
 * could not have reached, so that it cannot use ikigai to send requests into the user's network.
 */
export async function guardFor(server: URL, env: NodeJS.ProcessEnv, around = surroundings()): Promise<AddressGuard> {
  const own = await placeOfServer(server, env, around);
  const isAllowed = (place: HostPlace) => allowed[own].includes(place);
  return {
    check(url) {
      const { protocol, origin, host } = url;
      const name = hostOf(url);
      if (url.username !== "" || url.password !== "" || !/^https?:$/.test(protocol))
        throw failure(`a URL that is not allowed: ${protocol}//${host}`);
      // The server's own name may look private; where it leads to is checked when it is resolved.
      if (name !== hostOf(server) && !isAllowed(around.ofHost(name))) throw refusal(host);
      if (protocol === "http:" && !isLoopback(name)) throw failure(`${origin}, which is not encrypted (https).`);
    },
    lookup: guardedLookup((address) => isAllowed(around.ofAddress(address))),
    refusalOf({ remoteAddress, localAddress }) {
      // The system lists no address of an interface that is down, but answers at it.
      const isOwn = remoteAddress !== undefined && remoteAddress === localAddress;
      return isOwn && !isAllowed("computer") ? refusal(remoteAddress) : undefined;
    },
  };
}

/** Resolves a name once, to those of its addresses that are allowed. They are the ones that are connected to. */
function guardedLookup(isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const usable = found.filter(({ address }) => isAllowed(address));
      const [first] = usable;
      if (first === undefined) return callback(refusal(hostname), []);
      return options.all ? callback(null, usable) : callback(null, first.address, first.family);
    });
  };
}

/**
 * Where a server is: at the address where it answers, not at one of those that its DNS names. Behind a proxy, which resolves names, only
 * the name tells. A server that does not answer counts as far away.
 */
async function placeOfServer(server: URL, env: NodeJS.ProcessEnv, { ofAddress }: Surroundings): Promise<HostPlace> {
  const host = hostOf(server);
  if (isLoopback(host)) return "computer";
  if (isIP(host) !== 0) return ofAddress(host);
  if (proxyFor(server, env)) return isPrivateName(host, "") ? "network" : "internet";
  const address = server.protocol === "https:" ? await answeringAddress(server) : undefined;
  return address === undefined ? "internet" : ofAddress(address);
}

function refusal(host: string): BridgeError {
  return failure(`${host}, an address inside your network. It was not requested.`);
}

function failure(where: string): BridgeError {
  return new BridgeError("MCP_REQUEST_FAILED", `The login leads to ${where}`);
}

/** How long a server may take to accept a connection, in milliseconds. One nearby takes a few; one far away is no loss. */
const connectMs = 1_500;

/**
 * Returns the address at which an https server proves with its certificate that it has its name. What its DNS says is no proof: it can
 * name this computer as well.
 *
 * @returns `undefined` if it does not answer.
 */
function answeringAddress({ hostname, port }: URL): Promise<string | undefined> {
  // Certificates are checked even if NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
  const socket = connect({ host: hostname, port: Number(port || 443), servername: hostname, rejectUnauthorized: true });
  return new Promise((resolve) => {
    socket.setTimeout(connectMs, () => socket.destroy());
    // The end of the connection follows.
    socket.on("error", () => {});
    socket.once("close", () => resolve(undefined));
    socket.once("secureConnect", () => {
      resolve(socket.remoteAddress);
      socket.destroy();
    });
  });
}
