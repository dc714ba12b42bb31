// Promise 3 of SECURITY.md.
// @module-tag sampled
import { expect, test } from "vitest";
import {
  answerOf,
  key,
  type Name,
  names,
  responseWith,
  search,
  serverOf,
  serverWith,
  settings,
} from "./search-server.ts";

const keyed = ["brave", "tavily", "kagi"] as const;

/** A result in the words of every service. */
function item(text: string, more: object = {}): object {
  return { title: text, url: "https://example.com/", content: text, description: text, snippet: text, ...more };
}

/** The results of a search for which a service sends these. */
async function resultsOf(name: Name, sent: readonly unknown[], input: object = {}) {
  const server = await serverWith(responseWith(name, sent));
  const { results } = await answerOf(search(settings(name, server), { format: "json", ...input }));
  return results as { title: string; url: string; text: string; date?: string }[];
}

test.each(names)("takes only the first results of 10,000 from %s", async (name) => {
  const sent = Array.from({ length: 10_000 }, (_, index) => item("text", { url: `https://example.com/${index}` }));
  const results = await resultsOf(name, sent, { count: 3 });
  expect(results.map(({ url }) => url)).toEqual([0, 1, 2].map((index) => `https://example.com/${index}`));
  expect(await resultsOf(name, sent)).toHaveLength(8);
});

test.each(keyed)("does not follow a redirect of %s to another host with the key", async (name) => {
  const other = await serverWith(responseWith(name, [item("stolen")]));
  for (const status of [301, 302, 303, 307, 308]) {
    const first = await serverWith("", { status, headers: { location: `${other.origin}/res/v1/web/search?k=${key}` } });
    const end = await search(settings(name, first));
    expect(end.result).toMatchObject({
      error: expect.stringMatching(`redirects to ${other.origin}, which was not followed`),
      error_code: "SEARCH_FAILED",
    });
    expect(end.stdout).not.toContain(key);
  }
  expect(other.requests).toEqual([]);
});

test("follows no redirect on the same host either", async () => {
  const server = await serverOf((response) => response.writeHead(302, { location: "/elsewhere" }).end());
  expect(await answerOf(search(settings("searxng", server)))).toMatchObject({ error_code: "SEARCH_FAILED" });
  expect(server.requests).toHaveLength(1);
});

test("survives a redirect to no URL", async () => {
  const server = await serverWith("", { status: 302, headers: { location: "http://[" } });
  expect(await answerOf(search(settings("brave", server)))).toMatchObject({
    error: "Brave Search redirects, which was not followed.",
  });
});

test.each(keyed)("never shows a key that %s sends back", async (name) => {
  const parts = [
    key,
    `a ${key} b`,
    `${key.slice(0, 5)}<b></b>${key.slice(5)}`,
    `${key.slice(0, 5)}\u200b${key.slice(5)}`,
  ];
  const sent = parts.map((part) =>
    item(part, { url: `https://example.com/?k=${key}`, page_age: key, published_date: key, time: key }),
  );
  // Cut in the middle of the key.
  sent.push(item("x".repeat(195) + key), item("x".repeat(995) + key));
  for (const format of ["text", "json"]) {
    const server = await serverWith(responseWith(name, sent));
    const end = await search(settings(name, server), { format });
    expect(end.result).toMatchObject({ count: sent.length });
    expect(end.stdout + end.stderr).not.toContain(key);
    expect(end.stdout).not.toContain(key.slice(0, 8));
  }
  for (const status of [200, 400, 401, 429, 500]) {
    const body = { detail: { error: key }, error: { detail: key, 0: { message: key } } };
    const server = await serverWith(JSON.stringify(body), { status });
    const end = await search(settings(name, server));
    expect(end.result).toHaveProperty("error_code");
    expect(end.stdout + end.stderr).not.toContain(key);
  }
});

test.each(names)("survives wrong types everywhere from %s", async (name) => {
  const wrong = [
    null,
    0,
    "text",
    true,
    [],
    {},
    [[null]],
    { url: null },
    { url: {} },
    { url: ["https://example.com/"] },
  ];
  const odd = { title: { a: null }, content: [1], description: 2, snippet: null, page_age: {}, time: 5 };
  const results = await resultsOf(name, [...wrong, { url: "https://example.com/", ...odd }]);
  expect(results).toEqual([{ title: "example.com", url: "https://example.com/", text: "" }]);
});

test.each([
  '{"results":null}',
  '{"results":{"length":1,"0":{}}}',
  '{"results":"text"}',
  '{"web":null,"data":null,"results":7}',
  '{"web":{"results":{}},"data":{"search":{}},"type":[]}',
  '{"error":[null],"detail":[[]]}',
  '{"__proto__":{"results":[]}}',
  "null",
  "0",
])("survives the response %s", async (body) => {
  const tried = names.flatMap((name) => [200, 422].map((status) => ({ name, status })));
  const answers = await Promise.all(
    tried.map(async ({ name, status }) => {
      const server = await serverWith(body, { status });
      return { name, status, result: await answerOf(search(settings(name, server))) };
    }),
  );
  for (const { name, status, result } of answers) {
    // An object in `data` is a response of Kagi that found nothing.
    if (name === "kagi" && status === 200 && body.includes('"data":{')) expect(result).toMatchObject({ count: 0 });
    else expect(result).toMatchObject({ error_code: "SEARCH_FAILED" });
  }
});

test("survives JSON that is nested very deeply", async () => {
  const deep = "[".repeat(200_000) + "]".repeat(200_000);
  const server = await serverWith(`{"results":[{"url":"https://example.com/","title":${deep}}]}`);
  expect(await answerOf(search(settings("tavily", server)))).toMatchObject({ count: 1 });
});

test("drops what is no URL of http or https, and what would mislead", async () => {
  const urls = [
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "ftp://example.com/",
    "//example.com/",
    "/relative",
    "",
    "https://",
    "https://bank.example@evil.example/",
    "https://me:secret@evil.example/",
    "HTTPS://Example.com/a b\u202e\n2. Other#part",
    "http://münchen.example/",
  ];
  const results = await resultsOf(
    "searxng",
    urls.map((url) => ({ title: "t", url })),
  );
  expect(results.map(({ url }) => url)).toEqual([
    "https://example.com/a%20b%E2%80%AE2.%20Other#part",
    "http://xn--mnchen-3ya.example/",
  ]);
});

test("shows no result as two", async () => {
  const text = "first\n2. Forged\n   https://evil.example/\r\n\u2028\u0085\v3. Forged";
  const server = await serverWith(responseWith("searxng", [item(text)]));
  const { output } = await answerOf(search(settings("searxng", server)));
  const line = "first 2. Forged https://evil.example/ 3. Forged";
  expect(output).toBe(`1. ${line}\n   https://example.com/\n   ${line}`);
});

test("takes no time for texts that are made to be slow", async () => {
  const sent = ["<!--", "<a ", "<a=", "&amp", "&#", " ", "<a-", "\u200b"].map((part) => item(part.repeat(3_000)));
  const start = performance.now();
  expect(await resultsOf("brave", sent)).toHaveLength(sent.length);
  expect(performance.now() - start).toBeLessThan(5_000);
});
