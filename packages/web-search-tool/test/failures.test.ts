// @module-tag sampled
import { expect, test } from "vitest";
import { answerOf, key, type Name, search, serverWith, settings } from "./search-server.ts";

/** What a search answers if the service sends this. */
async function failure(name: Name, status: number, body: unknown = "", headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const server = await serverWith(text, { status, headers });
  const result = await answerOf(search(settings(name, server)));
  expect(server.requests).toHaveLength(1);
  return result;
}

const braveError = (code: string, detail: string) => ({ type: "ErrorResponse", error: { status: 0, code, detail } });

test.each([
  ["brave", 401, ""],
  ["brave", 403, ""],
  ["brave", 422, braveError("SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.")],
  ["brave", 422, { errors: [{ code: "SUBSCRIPTION_TOKEN_INVALID", detail: "The subscription token is invalid." }] }],
  ["tavily", 401, { detail: { error: "Unauthorized: missing or invalid API key." } }],
  ["kagi", 401, { meta: {}, data: null, error: [{ code: "auth.invalid", url: "", message: "Invalid token" }] }],
  ["kagi", 403, { meta: {}, data: [], error: [{ code: "auth.ip", url: "", message: "IP address not authorized" }] }],
] as const)("%s rejects the key with %i", async (name, status, body) => {
  const variable = `${name.toUpperCase()}_API_KEY`;
  expect(await failure(name, status, body)).toEqual({
    error: expect.stringMatching(`rejected the API key in ${variable} \\(${status}\\)`),
    error_code: "UNAUTHORIZED",
    help: { steps: [`Start ikigai with a valid ${variable}`, "Try again"] },
  });
});

test("quotes the reason of a service", async () => {
  expect(
    await failure("kagi", 403, { data: [], error: [{ message: "IP address <b>not</b> authorized" }] }),
  ).toMatchObject({
    error: "Kagi rejected the API key in KAGI_API_KEY (403): IP address not authorized",
  });
  expect(await failure("brave", 422, braveError("VALIDATION", "Query too long"))).toEqual({
    error: "Brave Search reports an error (422): Query too long",
    error_code: "SEARCH_FAILED",
  });
  expect(await failure("tavily", 400, { detail: "Invalid topic." })).toMatchObject({
    error: "Tavily reports an error (400): Invalid topic.",
  });
});

test("says how SearXNG answers in JSON", async () => {
  expect(await failure("searxng", 403, "<!doctype html><title>403 Forbidden</title>")).toEqual({
    error: "SearXNG refused to answer in JSON (403): add json to search.formats in settings.yml",
    error_code: "SEARCH_FAILED",
    help: { steps: [expect.stringContaining("add json to search.formats in settings.yml"), "Try again"] },
  });
});

test("says that SearXNG requires a login", async () => {
  expect(await failure("searxng", 401)).toMatchObject({ error_code: "UNAUTHORIZED" });
});

test.each([
  [{ "retry-after": "30" }, 30],
  [{ "retry-after": "0" }, 0],
  [{ "x-ratelimit-remaining": "0, 14523", "x-ratelimit-reset": "1, 1419704" }, 1],
  [{ "x-ratelimit-remaining": "0, 0", "x-ratelimit-reset": "1, 1419704" }, 1_419_704],
  [{ "x-ratelimit-remaining": "1, 1", "x-ratelimit-reset": "1, 1419704" }, undefined],
  [{ "x-ratelimit-remaining": "0", "x-ratelimit-reset": "soon" }, undefined],
  [{ "retry-after": "999999999" }, 999_999_999],
  [{ "retry-after": "1000000000" }, undefined],
  [{ "retry-after": "-1" }, undefined],
  [{}, undefined],
])("reads from %j when to try again", async (headers, seconds) => {
  const result = await failure(
    "brave",
    429,
    braveError("RATE_LIMITED", "Slow down"),
    headers as Record<string, string>,
  );
  expect(result).toEqual({
    error: `Rate limited by Brave Search (429): Slow down. Try again ${seconds === undefined ? "later" : `in ${seconds} s`}.`,
    error_code: "RATE_LIMITED",
    ...(seconds !== undefined && { retry_after_s: seconds }),
  });
});

test("reads a date to try again at", async () => {
  const later = new Date(Date.now() + 60_000).toUTCString();
  const { retry_after_s } = await failure("tavily", 429, "", { "retry-after": later });
  expect(retry_after_s).toBeGreaterThan(40);
  expect(retry_after_s).toBeLessThanOrEqual(60);
  const before = new Date(Date.now() - 60_000).toUTCString();
  expect(await failure("tavily", 429, "", { "retry-after": before })).toMatchObject({ retry_after_s: 0 });
});

test.each([432, 433])("says that the plan is used up (%i)", async (status) => {
  const detail = { error: "This request exceeds your plan's set usage limit." };
  expect(await failure("tavily", status, { detail })).toEqual({
    error: `The plan of the Tavily account is used up (${status}): This request exceeds your plan's set usage limit.`,
    error_code: "RATE_LIMITED",
  });
});

test.each([404, 500, 503])("reports status %i", async (status) => {
  expect(await failure("kagi", status, "<h1>Oops</h1>")).toEqual({
    error: `Kagi reports an error (${status})`,
    error_code: "SEARCH_FAILED",
  });
});

test.each([
  ["a page", 200, "<!doctype html>", "SearXNG did not send JSON (200)"],
  ["nothing", 200, "", "SearXNG did not send JSON (200)"],
  ["nothing, with its status", 204, "", "SearXNG did not send JSON (204)"],
  ["half of it", 200, '{"results":[', "SearXNG did not send JSON (200)"],
  ["a list", 200, "[]", "SearXNG did not send JSON (200)"],
  ["other JSON", 200, '{"status":"ok"}', "SearXNG did not send search results (200)"],
])("reports %s instead of results", async (_, status, body, error) => {
  expect(await failure("searxng", status, body)).toEqual({
    error,
    error_code: "SEARCH_FAILED",
    help: { steps: ["Check that SEARXNG_BASE_URL is the base URL of SearXNG"] },
  });
});

test.each(["", "   \n"])("refuses the empty query %j", async (query) => {
  expect(await answerOf(search({ SEARXNG_BASE_URL: "http://127.0.0.1:1" }, { query }))).toMatchObject({
    error_code: "INVALID_ARG",
  });
});

test.each([
  [{ query: ["a", "b"] }, "query"],
  [{ count: 0 }, "count"],
  [{ count: 21 }, "count"],
  [{ count: 1.5 }, "count"],
  [{ freshness: "hour" }, "freshness"],
  [{ format: "html" }, "format"],
])("rejects %j", async (input, name) => {
  const error = expect.stringContaining(`Expected "${name}"`);
  const result = { error, error_code: "INVALID_PARAMS" };
  expect(await search({ BRAVE_API_KEY: key }, input)).toMatchObject({ exitCode: 0, result });
});
