// The tokens for a server: read, refreshed, and asked for again when it rejects them. Below: requests to authorization servers.

import { lookup as lookUp } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { setTimeout } from "node:timers/promises";
import { connect } from "node:tls";
import {
  type HostPlace,
  hostOf,
  isLoopback,
  isPrivateName,
  proxyFor,
  type Surroundings,
  surroundings,
} from "@ikigai/http";
import { LockError } from "@ikigai/system";
import {
  type AuthProvider,
  type FetchLike,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
  refreshAuthorization,
} from "@modelcontextprotocol/client";
import { changeLogins, currentLogin, type Login, readLogins, type Tokens } from "../../server/secrets-file.ts";
import { BridgeError } from "../bridge-error.ts";
import { type ConnectionGuard, createHttpFetch, type HttpFetch } from "../http/http-fetch.ts";
import { needsLogin, type Rejection } from "../http/server-failure.ts";
import type { ServerPlace } from "../server-place.ts";

/** A token that expires within this time is refreshed before it is used, in milliseconds. */
const marginMs = 30_000;

/**
 * The access token of a server's calls. Refreshes it without the user: once for all calls and all processes, as an authorization server
 * may accept a refresh token only once. It never starts a login.
 */
export class Access implements AuthProvider {
  readonly #place: ServerPlace;
  readonly #url: URL;
  readonly #version: string;
  #used = "";
  #renewing: Promise<Tokens> | undefined;

  constructor(place: ServerPlace, url: URL, { version }: { readonly version: string }) {
    this.#place = place;
    this.#url = url;
    this.#version = version;
  }

  /** The token to send, if the user has logged in. @throws BridgeError if it cannot be refreshed. */
  async token(): Promise<string | undefined> {
    // Others could read it.
    if (this.#url.protocol !== "https:" && !isLoopback(hostOf(this.#url))) return undefined;
    const tokens = this.#stored()?.tokens;
    if (!tokens) return undefined;
    this.#learn(tokens);
    const isOld = tokens.expiresAtMs !== undefined && tokens.expiresAtMs - marginMs < Date.now();
    const { access } = isOld && tokens.refresh !== undefined ? await this.#renewed(tokens.access) : tokens;
    this.#used = access;
    return access;
  }

  /** Refreshes the token that the server has rejected. @throws BridgeError if the user has to log in. */
  async onUnauthorized({ response }: { readonly response: Response }): Promise<void> {
    // There is nothing to refresh.
    if (!this.#stored()?.tokens) throw needsLogin(this.#place, await rejectionOf(response));
    await this.#renewed(this.#used);
  }

  #stored(): Login | undefined {
    return currentLogin(readLogins(this.#place.dataDir, this.#place.url));
  }

  #renewed(rejected: string): Promise<Tokens> {
    this.#renewing ??= this.#renew(rejected).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(rejected: string): Promise<Tokens> {
    const { dataDir, url } = this.#place;
    let renewed: Tokens | undefined;
    try {
      // There is nothing to change, so nothing is written.
      if (!this.#stored()?.tokens) throw needsLogin(this.#place);
      await changeLogins(dataDir, url, async (file) => {
        const login = currentLogin(file);
        const { issuer } = file;
        if (issuer === undefined || !login?.tokens) return undefined;
        if (login.tokens.access !== rejected) {
          // Another process has refreshed it meanwhile.
          renewed = login.tokens;
          return undefined;
        }
        if (login.tokens.refresh === undefined) return undefined;
        renewed = await this.#refresh(login);
        const { tokens: _, ...rest } = login;
        return { ...file, logins: { ...file.logins, [issuer]: renewed ? { ...rest, tokens: renewed } : rest } };
      });
    } catch (error) {
      if (error instanceof LockError) throw this.#cannotRefresh(error.message);
      throw error;
    }
    if (!renewed) throw needsLogin(this.#place);
    this.#learn(renewed);
    return renewed;
  }

  /** The new tokens; `undefined` if the authorization server refuses. @throws BridgeError if it cannot be asked. */
  async #refresh(login: Login): Promise<Tokens | undefined> {
    const { name, env } = this.#place;
    try {
      return await refreshTokens(login, { server: name, url: this.#url, version: this.#version, env });
    } catch (error) {
      if (error instanceof OAuthError && error.code !== OAuthErrorCode.ServerError) return undefined;
      throw this.#cannotRefresh((error as Error).message);
    }
  }

  #cannotRefresh(reason: string): BridgeError {
    return new BridgeError(
      "MCP_REQUEST_FAILED",
      `The login to the MCP server ${this.#place.name} cannot be refreshed: ${reason}`,
    );
  }

  #learn({ access, refresh }: Tokens): void {
    this.#place.learnSecret(access);
    if (refresh !== undefined) this.#place.learnSecret(refresh);
  }
}

/** How long the rest of a rejection may take, in milliseconds: it is only read for its words. */
const wordsMs = 2_000;

/** How a server rejected a request: its words, if they come soon, and whether it asks for a token. */
async function rejectionOf(response: Response): Promise<Rejection> {
  const asksForToken = /^\s*Bearer\b/i.test(response.headers.get("www-authenticate") ?? "");
  return { words: await wordsOf(response), asksForToken };
}

async function wordsOf(response: Response): Promise<string> {
  const reader = response.clone().body?.getReader();
  if (!reader) return "";
  try {
    // Whatever is longer is no sentence: the first part is enough.
    const first = await Promise.race([reader.read(), setTimeout(wordsMs, undefined, { ref: false })]);
    return first?.value === undefined ? "" : Buffer.from(first.value).toString();
  } catch {
    return "";
  } finally {
    void reader.cancel().catch(() => {});
  }
}

/**
 * Refreshes tokens.
 *
 * @throws OAuthError with the authorization server's refusal, BridgeError if it cannot be reached.
 */
async function refreshTokens(login: Login, options: AuthFetchOptions): Promise<Tokens> {
  const { client, tokenEndpoint, authMethods, resource, tokens } = login;
  const { fetch, close } = await createAuthFetch(options);
  try {
    const fresh = await refreshAuthorization(tokenEndpoint, {
      metadata: {
        issuer: tokenEndpoint,
        authorization_endpoint: tokenEndpoint,
        token_endpoint: tokenEndpoint,
        response_types_supported: ["code"],
        token_endpoint_auth_methods_supported: [...authMethods],
      },
      clientInformation: { client_id: client.id, ...(client.secret !== undefined && { client_secret: client.secret }) },
      refreshToken: tokens?.refresh ?? "",
      ...(resource !== undefined && { resource }),
      fetchFn: fetch,
    });
    const scope = fresh.scope ?? tokens?.scope;
    return { ...toTokens(fresh), ...(scope !== undefined && { scope }) };
  } finally {
    close();
  }
}

/** The tokens of a response. */
export function toTokens({ access_token, refresh_token, scope, expires_in }: OAuthTokens): Tokens {
  return {
    access: access_token,
    ...(refresh_token !== undefined && { refresh: refresh_token }),
    ...(scope !== undefined && { scope }),
    ...(Number.isFinite(expires_in) && { expiresAtMs: Date.now() + Number(expires_in) * 1_000 }),
  };
}

interface AuthFetchOptions {
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
interface AddressGuard extends ConnectionGuard {
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
