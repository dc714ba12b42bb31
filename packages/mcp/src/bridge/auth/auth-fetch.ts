import type { FetchLike } from "@modelcontextprotocol/client";
import { createHttpFetch, type HttpFetch } from "../http/http-fetch.ts";
import { type AddressGuard, guardFor } from "./address-guard.ts";

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
