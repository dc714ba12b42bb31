// @module-tag tables
import { describe, expect, test } from "vitest";
import { answerOf, key, type Name, names, recorded, search, serverOf, settings } from "./search-server.ts";

test("says what to do if no service is set up", async () => {
  const end = await search({});
  expect(end).toEqual({
    exitCode: 0,
    result: {
      error: "No search service is set up",
      error_code: "MISSING_CREDENTIALS",
      help: {
        steps: [
          expect.stringMatching(
            /^Get a key at https:\/\/brave\.com\/search\/api\/ and set BRAVE_API_KEY, or .*TAVILY_API_KEY, or .*KAGI_API_KEY\. Or run SearXNG and set SEARXNG_BASE_URL=http:\/\/127\.0\.0\.1:8080$/,
          ),
          "Start ikigai with the variable and try again: ikigai --continue resumes this conversation",
        ],
      },
    },
  });
});

/** One server that is every service. */
function everyService() {
  return serverOf((response, { url, method }) => {
    const name = url.startsWith("/res/")
      ? "brave"
      : url.startsWith("/api/")
        ? "kagi"
        : method === "POST"
          ? "tavily"
          : "searxng";
    response.end(recorded(name));
  });
}

test.each(names.map((name, index): [Name, readonly Name[]] => [name, names.slice(index)]))(
  "asks %s if these are set up: %j",
  async (name, all) => {
    const server = await everyService();
    const env = Object.assign({}, ...all.map((each) => settings(each, server)));
    expect(await answerOf(search(env))).toMatchObject({ engine: name, count: 2 });
    expect(server.requests).toHaveLength(1);
  },
);

test.each([...names, " Tavily "])("asks %j if IKIGAI_WEB_SEARCH names it", async (name) => {
  const server = await everyService();
  const env = Object.assign({ IKIGAI_WEB_SEARCH: name }, ...names.map((each) => settings(each, server)));
  expect(await answerOf(search(env))).toMatchObject({ engine: name.trim().toLowerCase(), count: 2 });
});

test("counts empty variables as not set", async () => {
  const server = await everyService();
  const env = { SEARXNG_BASE_URL: " ", BRAVE_API_KEY: "", IKIGAI_WEB_SEARCH: "", ...settings("tavily", server) };
  expect(await answerOf(search(env))).toMatchObject({ engine: "tavily" });
});

test("does not take a base URL for a key", async () => {
  expect(await answerOf(search({ BRAVE_BASE_URL: "http://127.0.0.1:1" }))).toMatchObject({
    error_code: "MISSING_CREDENTIALS",
  });
});

test.each([
  ["searxng", "SEARXNG_BASE_URL"],
  ["kagi", "KAGI_API_KEY"],
])("says what %s needs", async (name, variable) => {
  const server = await everyService();
  const env = { ...settings("brave", server), IKIGAI_WEB_SEARCH: name };
  expect(await answerOf(search(env))).toMatchObject({
    error: `IKIGAI_WEB_SEARCH is ${name}, but ${variable} is not set`,
    error_code: "MISSING_CREDENTIALS",
    help: { steps: [`Set ${variable}`, expect.stringContaining("try again")] },
  });
  expect(server.requests).toEqual([]);
});

test("names the services if IKIGAI_WEB_SEARCH names none", async () => {
  const server = await everyService();
  const env = { ...settings("brave", server), IKIGAI_WEB_SEARCH: "google" };
  expect(await answerOf(search(env))).toMatchObject({
    error_code: "SEARCH_FAILED",
    help: { steps: [expect.stringContaining("searxng, brave, tavily, kagi")] },
  });
  expect(server.requests).toEqual([]);
});

describe.each(["brave", "tavily", "kagi"] as const)("a key of %s", (name) => {
  test.each([`${key}\n`, `${key}\r\nx-other: 1`, `a ${key}`, `${key}\u0007`, `${key}ü`])(
    "is refused if it is %j",
    async (value) => {
      const server = await everyService();
      const variable = `${name.toUpperCase()}_API_KEY`;
      const end = await search({ ...settings(name, server), [variable]: value });
      expect(end.result).toMatchObject({
        error: `${variable} contains a line break, a space or another character that no key has.`,
        error_code: "UNAUTHORIZED",
        help: { steps: [`Set ${variable} to the key alone`, expect.any(String)] },
      });
      expect(end.stdout + end.stderr).not.toContain(key);
      expect(server.requests).toEqual([]);
    },
  );
});

test.each([
  ["127.0.0.1:8080", "is not a URL"],
  ["file:///etc/passwd", "is not a URL"],
  [`http://me:${key}@127.0.0.1:8080`, "contains a user name or password"],
  [`http:// ${key}`, "is not a URL"],
])("refuses the base URL %j without showing it", async (url, why) => {
  const end = await search({ SEARXNG_BASE_URL: url });
  expect(end.result).toMatchObject({ error: `SEARXNG_BASE_URL ${why}.`, error_code: "SEARCH_FAILED" });
  expect(end.stdout + end.stderr).not.toContain(key);
});
