// The services that can be searched: what each is sent and answers, as data; which one is set up; and how a search fails, without
// its key.

import { isJsonObject } from "@ikigai/protocol";
import { redact } from "@ikigai/system";
import { type FailureDetails, ToolFailure } from "@ikigai/tool-sdk";

/** What to search for. */
export interface Query {
  readonly text: string;
  /** At most this many results. */
  readonly count: number;
  readonly freshness: Freshness | undefined;
}

/** The age of the oldest pages that are wanted. */
type Freshness = "day" | "week" | "month" | "year";

/** What a service is sent. */
interface EngineRequest {
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
interface Engine {
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
function valueAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (parent, key) =>
      typeof parent === "object" && parent !== null && Object.hasOwn(parent, key)
        ? (parent as Record<string | number, unknown>)[key]
        : undefined,
    value,
  );
}

/** Returns a list; `undefined` for anything else. */
function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] | undefined {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : undefined;
}

/** The reference has `error` in its schema, and `errors` in its examples. */
function errorOf(body: unknown): unknown {
  return valueAt(body, "error") ?? valueAt(body, "errors", 0);
}

const periods = { day: "pd", week: "pw", month: "pm", year: "py" } as const;

/** Brave Search. https://api-dashboard.search.brave.com/api-reference/web/search/get */
const brave: Engine = {
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
const kagi: Engine = {
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
  results: (body) => listAt(body, "data", "search") ?? (isJsonObject(valueAt(body, "data")) ? [] : undefined),
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

/** SearXNG, run by the user. https://docs.searxng.org/dev/search_api.html */
const searxng: Engine = {
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
const tavily: Engine = {
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

type Environment = Readonly<Record<string, string | undefined>>;

/** In the order of preference. */
const engines: readonly Engine[] = [searxng, brave, tavily, kagi];

const choiceVariable = "IKIGAI_WEB_SEARCH";

/** The variables that the tool reads: sandboxes pass on keys only to tools that name them. */
export const variables: readonly string[] = [
  choiceVariable,
  ...engines.flatMap(({ keyVariable, baseVariable }) => [...(keyVariable ? [keyVariable] : []), baseVariable]),
];

/** A search service that the user has set up. */
export interface Service {
  readonly engine: Engine;
  readonly base: URL;
  /** Whether the user has set the base URL: it may then be anywhere. */
  readonly isOwnBase: boolean;
  /** Empty for a service without keys. */
  readonly key: string;
}

/**
 * Returns the search service to ask: the one that `IKIGAI_WEB_SEARCH` names, or else the first that is set up.
 *
 * @throws ToolFailure `MISSING_CREDENTIALS`, `UNAUTHORIZED` for a key that cannot be one, `SEARCH_FAILED` for another invalid setting.
 */
export function chooseService(env: Environment): Service {
  const engine = chooseEngine(env);
  const { keyVariable, baseVariable, defaultBase } = engine;
  const own = settingOf(env, baseVariable);
  return {
    engine,
    base: readBase(own ?? defaultBase ?? "", baseVariable),
    isOwnBase: own !== undefined,
    key: keyVariable === undefined ? "" : checkKey(env[keyVariable] ?? "", keyVariable),
  };
}

function chooseEngine(env: Environment): Engine {
  const isSet = ({ keyVariable, baseVariable }: Engine) => settingOf(env, keyVariable ?? baseVariable) !== undefined;
  const name = settingOf(env, choiceVariable)?.trim().toLowerCase();
  if (name === undefined) {
    const first = engines.find(isSet);
    if (first) return first;
    throw missing("No search service is set up", [
      "Get a key at https://brave.com/search/api/ and set BRAVE_API_KEY, or at https://app.tavily.com and set TAVILY_API_KEY, or at https://kagi.com/api/keys and set KAGI_API_KEY. Or run SearXNG and set SEARXNG_BASE_URL=http://127.0.0.1:8080",
    ]);
  }
  const chosen = engines.find((engine) => engine.name === name);
  if (!chosen) {
    const names = engines.map((engine) => engine.name).join(", ");
    throw new SearchFailure("SEARCH_FAILED", `${choiceVariable} does not name a search service.`, {
      help: { steps: [`Start ikigai with ${choiceVariable} set to one of these: ${names}. Or remove it.`] },
    });
  }
  const needed = chosen.keyVariable ?? chosen.baseVariable;
  if (!isSet(chosen)) throw missing(`${choiceVariable} is ${name}, but ${needed} is not set`, [`Set ${needed}`]);
  return chosen;
}

function missing(message: string, steps: readonly string[]): ToolFailure {
  return new ToolFailure("MISSING_CREDENTIALS", message, {
    help: {
      steps: [...steps, "Start ikigai with the variable and try again: ikigai --continue resumes this conversation"],
    },
  });
}

/** A variable that is empty counts as not set. */
function settingOf(env: Environment, name: string): string | undefined {
  const value = env[name] ?? "";
  return value.trim() === "" ? undefined : value;
}

/** Messages do not quote the URL: it may have a password in it. */
function readBase(text: string, variable: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalidSetting(`${variable} is not a URL.`, `Set ${variable} to a URL such as http://127.0.0.1:8080`);
  if (url.username !== "" || url.password !== "")
    throw invalidSetting(`${variable} contains a user name or password.`, `Remove them from ${variable}`);
  return url;
}

function invalidSetting(message: string, step: string): SearchFailure {
  return new SearchFailure("SEARCH_FAILED", message, { help: { steps: [step, "Start ikigai with it and try again"] } });
}

/** A header can hold only some characters; a line break would begin another header. */
function checkKey(key: string, variable: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new SearchFailure(
    "UNAUTHORIZED",
    `${variable} contains a line break, a space or another character that no key has.`,
    {
      help: { steps: [`Set ${variable} to the key alone`, "Start ikigai with it and try again"] },
    },
  );
}

/** Why a search has no results, besides the protocol's codes and those of `@ikigai/http`. */
type SearchErrorCode = "UNAUTHORIZED" | "RATE_LIMITED" | "SEARCH_FAILED";

/** Facts about a failed search: fields of the answer. */
interface SearchFailureDetails extends FailureDetails {
  /** When to try again, in seconds. */
  readonly retry_after_s?: number;
}

/** A search that failed in a way that a model or a user can act on. */
export class SearchFailure extends ToolFailure<string> {
  constructor(code: SearchErrorCode, message: string, details: SearchFailureDetails = {}) {
    super(code, message, details);
  }
}

/** Returns a function that removes a key from a text. A service may send back what it was sent, also in a host, which is in lower case. */
export function keyRemover(key: string): (text: string) => string {
  const keys = [key, key.toLowerCase(), key.toUpperCase()];
  return (text) => redact(text, keys);
}

/** Removes a key from everything that an action returns or says about a failure. */
export async function withoutKey<Answer>(key: string, action: () => Promise<Answer>): Promise<Answer> {
  const clean = keyRemover(key);
  try {
    return inTexts(await action(), clean) as Answer;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    const { code, message, details } = error as ToolFailure<string>;
    throw new ToolFailure<string>(code, clean(message), inTexts(details, clean) as typeof details);
  }
}

function inTexts(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === "string") return clean(value);
  if (Array.isArray(value)) return value.map((item) => inTexts(item, clean));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inTexts(item, clean)]));
}
