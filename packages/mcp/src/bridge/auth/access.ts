import { setTimeout } from "node:timers/promises";
import { hostOf, isLoopback } from "@ikigai/http";
import { LockError } from "@ikigai/system";
import {
  type AuthProvider,
  OAuthError,
  OAuthErrorCode,
  type OAuthTokens,
  refreshAuthorization,
} from "@modelcontextprotocol/client";
import { changeLogins, currentLogin, type Login, readLogins, type Tokens } from "../../server/secrets-file.ts";
import { BridgeError } from "../bridge-error.ts";
import { needsLogin, type Rejection } from "../http/server-failure.ts";
import type { ServerPlace } from "../server-place.ts";
import { type AuthFetchOptions, createAuthFetch } from "./auth-fetch.ts";

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
export async function refreshTokens(login: Login, options: AuthFetchOptions): Promise<Tokens> {
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
