// One search: the request, its response, and what a response without results means.

import { compiled } from "ikigai:compiled";
import type { IncomingHttpHeaders } from "node:http";
import { sendRequest, WebError, type WebErrorCode, type WebResponse } from "@ikigai/http";
import { parseObject, withoutEnd } from "@ikigai/system";
import { monotonicMs, ToolFailure } from "@ikigai/tool-sdk";
import { keyRemover, type Query, SearchFailure, type Service } from "./engines.ts";
import { plainText, type Result, toResults } from "./results.ts";

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
interface Surroundings {
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

/** The longest reason of a service that a message quotes, in characters. */
const maxReasonLength = 200;

/** Statuses of Tavily for a plan or a budget that is used up. */
const usedUpStatuses = new Set([432, 433]);

/** Explains a response without results. `body` is what it contains, if that is JSON. */
function explainResponse({ status, headers, proxy }: WebResponse, body: unknown, service: Service): SearchFailure {
  const { engine } = service;
  const { title, baseVariable, forbidden } = engine;
  const given = plainText(engine.problem(body), maxReasonLength, keyRemover(service.key));
  const reason = given === "" ? "" : `: ${given}`;
  if (proxy !== undefined && body === undefined && (status === 403 || status >= 500))
    return new SearchFailure("SEARCH_FAILED", `The proxy ${proxy}, or ${title} behind it, responded with ${status}.`);
  if (status >= 300 && status < 400) return redirected(service, headers.location);
  if (status === 403 && forbidden !== undefined)
    return new SearchFailure("SEARCH_FAILED", `${title} refused to answer in JSON (403): ${forbidden}`, {
      help: { steps: [`In SearXNG, ${forbidden}, and restart it`, "Try again"] },
    });
  if (status === 401 || status === 403 || (status >= 400 && engine.rejectsKey?.(body)))
    return unauthorized(service, status, reason);
  if (status === 429) {
    const seconds = retryAfter(headers);
    const when = seconds === undefined ? "later" : `in ${seconds} s`;
    return new SearchFailure("RATE_LIMITED", `Rate limited by ${title} (429)${reason}. Try again ${when}.`, {
      ...(seconds !== undefined && { retry_after_s: seconds }),
    });
  }
  if (usedUpStatuses.has(status))
    return new SearchFailure("RATE_LIMITED", `The plan of the ${title} account is used up (${status})${reason}`);
  if (status >= 400) return new SearchFailure("SEARCH_FAILED", `${title} reports an error (${status})${reason}`);
  const what = body === undefined ? "JSON" : "search results";
  return new SearchFailure("SEARCH_FAILED", `${title} did not send ${what} (${status})${reason}`, {
    ...(service.isOwnBase && { help: { steps: [`Check that ${baseVariable} is the base URL of ${title}`] } }),
  });
}

function unauthorized({ engine }: Service, status: number, reason: string): SearchFailure {
  const { title, keyVariable, baseVariable } = engine;
  if (keyVariable === undefined)
    return new SearchFailure("UNAUTHORIZED", `${title} requires a login (${status})${reason}`, {
      help: { steps: [`Allow access without a login at ${baseVariable}`, "Try again"] },
    });
  return new SearchFailure("UNAUTHORIZED", `${title} rejected the API key in ${keyVariable} (${status})${reason}`, {
    help: { steps: [`Start ikigai with a valid ${keyVariable}`, "Try again"] },
  });
}

/** A redirect is never followed: the key and the query are for this server alone. */
function redirected({ engine, base }: Service, location: string | undefined): SearchFailure {
  const { title, baseVariable } = engine;
  const target = location !== undefined && URL.canParse(location, base.href) ? new URL(location, base) : undefined;
  const where = target === undefined ? "" : ` to ${target.origin}`;
  return new SearchFailure("SEARCH_FAILED", `${title} redirects${where}, which was not followed.`, {
    help: { steps: [`If that is the right server, start ikigai with ${baseVariable} set to it`] },
  });
}

/** Reads when to try again, in seconds: `Retry-After`, or else the limits that Brave lists. */
function retryAfter(headers: IncomingHttpHeaders): number | undefined {
  const { "retry-after": after = "" } = headers;
  if (isSeconds(after)) return Number(after);
  // Date.parse alone would take -1 for a year.
  const date = after.endsWith("GMT") ? Date.parse(after) : Number.NaN;
  if (!Number.isNaN(date)) return Math.max(0, Math.ceil((date - Date.now()) / 1_000));
  return resetOfLimits(headers["x-ratelimit-remaining"], headers["x-ratelimit-reset"]);
}

/** Returns when all limits that are used up have reset, of several (`X-RateLimit-Remaining: 0, 14523`, `X-RateLimit-Reset: 1, 1419704`). */
function resetOfLimits(remaining: unknown, reset: unknown): number | undefined {
  const left = listOf(remaining);
  const seconds = listOf(reset);
  if (!seconds.every(isSeconds)) return undefined;
  const usedUp = seconds.filter((_, index) => left[index] === "0").map(Number);
  return usedUp.length === 0 ? undefined : Math.max(...usedUp);
}

function listOf(header: unknown): string[] {
  return typeof header === "string" ? header.split(",").map((item) => item.trim()) : [];
}

/** At most 31 years: what is longer is no number of seconds. */
function isSeconds(text: string): boolean {
  return /^\d{1,9}$/.test(text);
}
