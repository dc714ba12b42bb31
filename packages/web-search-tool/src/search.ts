import { compiled } from "ikigai:compiled";
import { sendRequest, WebError, type WebErrorCode, type WebResponse } from "@ikigai/http";
import { parseObject, withoutEnd } from "@ikigai/system";
import { monotonicMs, ToolFailure } from "@ikigai/tool-sdk";
import type { Query } from "./engines.ts";
import { explainResponse } from "./explain-response.ts";
import { type Result, toResults } from "./results.ts";
import { SearchFailure } from "./search-failure.ts";
import type { Service } from "./settings.ts";

/** How long a search may take, in milliseconds: SearXNG waits for other engines before it answers. */
const maxMs = 25_000;

/** The longest response, in bytes: twenty results take less than a tenth of it. */
const maxBodyBytes = 2_097_152;

/** Failures of the connection, which say what to do as they are. All others are the service's. */
const connectionCodes: ReadonlySet<WebErrorCode> = new Set<WebErrorCode>([
  "BLOCKED_ADDRESS",
  "DNS_FAILED",
  "CONNECT_FAILED",
  "TLS_FAILED",
  "TIMEOUT",
]);

/** What a call has besides its arguments. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** When to stop, by the clock `monotonicMs`. */
  readonly stopAtMs: number;
}

/**
 * Asks a search service.
 *
 * @throws ToolFailure for everything that can go wrong outside this program.
 */
export async function search(query: Query, service: Service, { env, stopAtMs }: Surroundings): Promise<Result[]> {
  const { engine, base, isOwnBase, key } = service;
  const { path, parameters = {}, headers, body } = engine.request(query, key);
  const totalMs = Math.min(maxMs, stopAtMs - monotonicMs());
  const response = await reported(engine.title, () =>
    sendRequest({
      url: urlOf(base, path, parameters),
      env,
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "application/json",
        "user-agent": `ikigai-web-search/${compiled.version}`,
        ...headers,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      limits: { totalMs, firstByteMs: totalMs, bodyBytes: maxBodyBytes },
      followsRedirects: false,
      isTrusted: isOwnBase,
    }),
  );
  return toResults(readItems(response, service), service, query.count);
}

function urlOf(base: URL, path: string, parameters: Readonly<Record<string, string>>): URL {
  const url = new URL(base);
  url.hash = "";
  url.pathname = withoutEnd(base.pathname, "/") + path;
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

function readItems(response: WebResponse, service: Service): readonly unknown[] {
  const body = parseObject(response.body.toString("utf8"));
  const items = response.status === 200 ? service.engine.results(body) : undefined;
  if (items === undefined) throw explainResponse(response, body, service);
  return items;
}

async function reported<Value>(title: string, action: () => Promise<Value>): Promise<Value> {
  try {
    return await action();
  } catch (error) {
    if (!(error instanceof WebError)) throw error;
    const { code, message, details } = error;
    const { hint, help } = details;
    const shown = { ...(hint !== undefined && { hint }), ...(help !== undefined && { help }) };
    if (connectionCodes.has(code)) throw new ToolFailure<string>(code, message, shown);
    throw new SearchFailure("SEARCH_FAILED", `${title} sent a response that cannot be used: ${message}`, shown);
  }
}
