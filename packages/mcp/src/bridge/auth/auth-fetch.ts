import type { FetchLike } from "@modelcontextprotocol/client";
import { createHttpFetch, type HttpFetch } from "../http/http-fetch.ts";
import { guardFor } from "./address-guard.ts";

export interface AuthFetchOptions {
  /** The MCP server's name, for errors. */
  readonly server: string;
  /** The MCP server. */
  readonly url: URL;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
}

/** How long one request to an authorization server may take, in milliseconds. */
const requestMs = 30_000;

/** Creates a `fetch` for the URLs of a login. They come from servers, so they are checked; headers of the MCP server are not sent there. */
export function createAuthFetch({
  server,
  url,
  version,
  env,
  signal = AbortSignal.timeout(10 * requestMs),
}: AuthFetchOptions & { readonly signal?: AbortSignal }): HttpFetch {
  const guard = guardFor(url);
  let open: HttpFetch | undefined;
  const fetch: FetchLike = async (input, init) => {
    const { check, lookup } = await guard;
    check(new URL(input));
    open ??= createHttpFetch({ server, version, env, lookup });
    return open.fetch(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(requestMs)]) });
  };
  return { fetch, close: () => open?.close() };
}
