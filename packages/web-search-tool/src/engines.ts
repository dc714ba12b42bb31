/** What to search for. */
export interface Query {
  readonly text: string;
  /** At most this many results. */
  readonly count: number;
  readonly freshness: Freshness | undefined;
}

/** The age of the oldest pages that are wanted. */
export type Freshness = "day" | "week" | "month" | "year";

/** What a service is sent. */
export interface EngineRequest {
  /** Added to the base URL. */
  readonly path: string;
  /** The query of the URL. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The header that authenticates. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; the request is then a POST. */
  readonly body?: object;
}

/** One result as a service sends it: any of these can be anything. */
export interface RawResult {
  readonly title: unknown;
  readonly url: unknown;
  readonly text: unknown;
  readonly date: unknown;
}

/** A search service. */
export interface Engine {
  /** The name in `IKIGAI_WEB_SEARCH` and in answers. */
  readonly name: string;
  /** The name in messages. */
  readonly title: string;
  /** The variable with the API key, for a service that has keys. */
  readonly keyVariable?: string;
  /** The variable with the base URL. */
  readonly baseVariable: string;
  /** The base URL if the variable is not set. */
  readonly defaultBase?: string;
  /** What to do about a 403. */
  readonly forbidden?: string;
  request(query: Query, key: string): EngineRequest;
  /** The list of results in a response; `undefined` if it is not a response of this service. */
  results(body: unknown): readonly unknown[] | undefined;
  result(item: unknown): RawResult;
  /** Where the response to a request that failed says why. */
  problem(body: unknown): unknown;
  /** Whether a response says that the key is invalid, with another status than 401 and 403. */
  rejectsKey?(body: unknown): boolean;
}

/** Returns what is at a path inside a value from JSON; `undefined` if there is nothing. */
export function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (parent, key) =>
      typeof parent === "object" && parent !== null && Object.hasOwn(parent, key)
        ? (parent as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );
}

/** Returns a list; `undefined` for anything else. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] | undefined {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : undefined;
}

/** The reference has `error` in its schema, and `errors` in its examples. */
function errorOf(body: unknown): unknown {
  return valueAt(body, "error") ?? valueAt(body, "errors", 0);
}

const periods = { day: "pd", week: "pw", month: "pm", year: "py" } as const;

/** Brave Search. https://api-dashboard.search.brave.com/api-reference/web/search/get */
export const brave: Engine = {
  name: "brave",
  title: "Brave Search",
  keyVariable: "BRAVE_API_KEY",
  baseVariable: "BRAVE_BASE_URL",
  defaultBase: "https://api.search.brave.com",
  request: ({ text, count, freshness }, key) => ({
    path: "/res/v1/web/search",
    parameters: {
      q: text,
      count: String(count),
      result_filter: "web",
      text_decorations: "false",
      ...(freshness && { freshness: periods[freshness] }),
    },
    headers: { "x-subscription-token": key },
  }),
  // If nothing is found, `web` is missing.
  results: (body) => listAt(body, "web", "results") ?? (valueAt(body, "type") === "search" ? [] : undefined),
  result: (item) => ({
    title: valueAt(item, "title"),
    url: valueAt(item, "url"),
    text: valueAt(item, "description"),
    date: valueAt(item, "page_age"),
  }),
  problem: (body) => valueAt(errorOf(body), "detail"),
  // With status 422.
  rejectsKey: (body) => valueAt(errorOf(body), "code") === "SUBSCRIPTION_TOKEN_INVALID",
};

const days: Readonly<Record<Freshness, number>> = { day: 1, week: 7, month: 31, year: 366 };

const dayMs = 86_400_000;

/** Kagi, version 1 of its API. https://kagi.com/api/docs/openapi/search */
export const kagi: Engine = {
  name: "kagi",
  title: "Kagi",
  keyVariable: "KAGI_API_KEY",
  baseVariable: "KAGI_BASE_URL",
  defaultBase: "https://kagi.com",
  request: ({ text, count, freshness }, key) => ({
    path: "/api/v1/search",
    headers: { authorization: `Bearer ${key}` },
    body: { query: text, limit: count, ...(freshness && { filters: { after: dayBefore(days[freshness]) } }) },
  }),
  // If nothing is found, `search` may be missing. `data` of an error is a list, or null.
  results: (body) => listAt(body, "data", "search") ?? (isObject(valueAt(body, "data")) ? [] : undefined),
  result: (item) => ({
    title: valueAt(item, "title"),
    url: valueAt(item, "url"),
    text: valueAt(item, "snippet"),
    date: valueAt(item, "time"),
  }),
  problem: (body) => valueAt(body, "error", 0, "message"),
};

/** The date so many days ago, in UTC: `2026-01-31`. */
function dayBefore(count: number): string {
  return new Date(Date.now() - count * dayMs).toISOString().slice(0, 10);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** SearXNG, run by the user. https://docs.searxng.org/dev/search_api.html */
export const searxng: Engine = {
  name: "searxng",
  title: "SearXNG",
  baseVariable: "SEARXNG_BASE_URL",
  forbidden: "add json to search.formats in settings.yml",
  request: ({ text, freshness }) => ({
    path: "/search",
    parameters: { q: text, format: "json", ...(freshness && { time_range: freshness }) },
  }),
  results: (body) => listAt(body, "results"),
  result: (item) => ({
    title: valueAt(item, "title"),
    url: valueAt(item, "url"),
    text: valueAt(item, "content"),
    date: valueAt(item, "publishedDate"),
  }),
  problem: (body) => valueAt(body, "error"),
};

/** Tavily. https://docs.tavily.com/documentation/api-reference/endpoint/search */
export const tavily: Engine = {
  name: "tavily",
  title: "Tavily",
  keyVariable: "TAVILY_API_KEY",
  baseVariable: "TAVILY_BASE_URL",
  defaultBase: "https://api.tavily.com",
  request: ({ text, count, freshness }, key) => ({
    path: "/search",
    headers: { authorization: `Bearer ${key}` },
    body: { query: text, max_results: count, ...(freshness && { time_range: freshness }) },
  }),
  results: (body) => listAt(body, "results"),
  result: (item) => ({
    title: valueAt(item, "title"),
    url: valueAt(item, "url"),
    text: valueAt(item, "content"),
    date: valueAt(item, "published_date"),
  }),
  problem: (body) => valueAt(body, "detail", "error") ?? valueAt(body, "detail"),
};
