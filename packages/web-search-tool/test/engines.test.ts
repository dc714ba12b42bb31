// @module-tag tables
import { describe, expect, test } from "vitest";
import { answerOf, key, names, recorded, responseWith, search, serverWith, settings } from "./search-server.ts";

const days = { day: 1, week: 7, month: 31, year: 366 } as const;
const periods = ["day", "week", "month", "year"] as const;
const bravePeriods = { day: "pd", week: "pw", month: "pm", year: "py" } as const;

test("asks SearXNG for JSON", async () => {
  const server = await serverWith(recorded("searxng"));
  expect(await answerOf(search(settings("searxng", server)))).toEqual({
    output: [
      "1. Stream | Node.js Documentation",
      "   https://nodejs.org/api/stream.html",
      "   A stream is an abstract interface for working with streaming data in Node.js.",
      "2. Streams explained",
      "   https://example.org/streams",
    ].join("\n"),
    count: 2,
    engine: "searxng",
  });
  expect(server.requests).toMatchObject([{ method: "GET", url: "/search?q=node+streams&format=json", body: "" }]);
  expect(server.requests[0]?.headers).toMatchObject({
    accept: "application/json",
    "user-agent": expect.stringMatching(/^ikigai-web-search\/\d/),
  });
});

test("asks Brave with the key in a header, and returns plain text", async () => {
  const server = await serverWith(recorded("brave"));
  const result = await answerOf(search(settings("brave", server), { format: "json", count: 20 }));
  expect(result).toEqual({
    results: [
      {
        title: "Stream | Node.js Documentation",
        url: "https://nodejs.org/api/stream.html",
        text: "A stream is an abstract interface & more: pipe() 'chains' them…",
        date: "2026-03-01T12:00:00",
      },
      { title: "Streams explained", url: "https://example.org/streams", text: "" },
    ],
    count: 2,
    engine: "brave",
  });
  expect(server.requests).toMatchObject([
    {
      method: "GET",
      url: "/res/v1/web/search?q=node+streams&count=20&result_filter=web&text_decorations=false",
      headers: { "x-subscription-token": key },
    },
  ]);
});

test("asks Tavily with a POST and a bearer token", async () => {
  const server = await serverWith(recorded("tavily"));
  const { results } = await answerOf(search(settings("tavily", server), { format: "json" }));
  expect(results).toMatchObject([
    {
      text: "A stream is an abstract interface: pipeline(source: Readable<Buffer>, …) chains them.",
      date: "Sun, 01 Mar 2026 12:00:00 GMT",
    },
    { url: "https://example.org/streams" },
  ]);
  const [request] = server.requests;
  expect(request).toMatchObject({
    method: "POST",
    url: "/search",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
  expect(JSON.parse(request?.body ?? "")).toEqual({ query: "node streams", max_results: 8 });
});

test("asks Kagi with a POST and a bearer token, and takes the web results", async () => {
  const server = await serverWith(recorded("kagi"));
  const { results } = await answerOf(search(settings("kagi", server), { format: "json" }));
  expect(results).toMatchObject([{ date: "2026-03-01T12:00:00Z" }, { title: "Streams explained", text: "" }]);
  const [request] = server.requests;
  expect(request).toMatchObject({ method: "POST", url: "/api/v1/search", headers: { authorization: `Bearer ${key}` } });
  expect(JSON.parse(request?.body ?? "")).toEqual({ query: "node streams", limit: 8 });
});

describe.each(periods)("wants pages of the last %s", (freshness) => {
  test.each(names)("from %s", async (name) => {
    const server = await serverWith(responseWith(name, []));
    const dates = [dayBefore(days[freshness])];
    await answerOf(search(settings(name, server), { freshness }));
    dates.push(dayBefore(days[freshness]));
    const { url = "", body = "" } = server.requests[0] ?? {};
    const parameters = new URL(url, server.origin).searchParams;
    if (name === "searxng") expect(parameters.get("time_range")).toBe(freshness);
    if (name === "brave") expect(parameters.get("freshness")).toBe(bravePeriods[freshness]);
    if (name === "tavily") expect(JSON.parse(body)).toMatchObject({ time_range: freshness });
    // Another date if midnight passes during the test.
    if (name === "kagi") expect(dates).toContain(JSON.parse(body).filters.after);
  });
});

function dayBefore(count: number): string {
  return new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);
}

test.each(names)("says so if %s finds nothing", async (name) => {
  const server = await serverWith(responseWith(name, []));
  expect(await answerOf(search(settings(name, server)))).toEqual({
    output: "",
    count: 0,
    engine: name,
    hint: expect.stringContaining("Use other words"),
  });
});

test.each([
  ["brave", { type: "search", query: {} }],
  ["kagi", { meta: {}, data: {} }],
] as const)("takes a response of %s without a list of results as an empty one", async (name, body) => {
  const server = await serverWith(JSON.stringify(body));
  expect(await answerOf(search(settings(name, server), { format: "json" }))).toMatchObject({ results: [], count: 0 });
});

test("keeps the path and the query of a base URL", async () => {
  const { origin, requests } = await serverWith(recorded("searxng"));
  await answerOf(search(settings("searxng", { origin: `${origin}/searx/?preferences=x#top` }), { query: "a&b=ü" }));
  expect(requests[0]?.url).toBe("/searx/search?preferences=x&q=a%26b%3D%C3%BC&format=json");
});
