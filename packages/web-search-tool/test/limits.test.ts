import { expect, test } from "vitest";
import { answerOf, responseWith, search, serverOf, serverWith, settings } from "./search-server.ts";

const many = Array.from({ length: 30 }, (_, index) => ({
  title: "t",
  url: `https://example.com/${index}`,
  content: "c",
}));

test.each([
  [{ count: 1 }, 1],
  [{ count: 20 }, 20],
  [{}, 8],
  [{ count: null }, 8],
])("returns for %j at most %i results", async (input, count) => {
  const server = await serverWith(responseWith("tavily", many));
  expect(await answerOf(search(settings("tavily", server), input))).toMatchObject({ count });
  expect(JSON.parse(server.requests[0]?.body ?? "")).toMatchObject({ max_results: count });
});

test("sends 400 characters, and refuses 401", async () => {
  const server = await serverWith(responseWith("searxng", []));
  const query = "ü😀".repeat(200);
  await answerOf(search(settings("searxng", server), { query }));
  expect(new URL(server.requests[0]?.url ?? "", server.origin).searchParams.get("q")).toBe(query);
  expect(await answerOf(search(settings("searxng", server), { query: `${query}x` }))).toMatchObject({
    error: "The query has 401 characters. At most 400 are allowed.",
    error_code: "INVALID_ARG",
  });
  expect(server.requests).toHaveLength(1);
});

test("cuts titles after 200 characters, texts after 1,000 and dates after 40", async () => {
  const of = (extra: number) => ({
    title: "t".repeat(200 + extra),
    url: "https://example.com/",
    content: "c".repeat(1_000 + extra),
    publishedDate: "d".repeat(40 + extra),
  });
  const server = await serverWith(responseWith("searxng", [of(0), of(1)]));
  const { results } = await answerOf(search(settings("searxng", server), { format: "json" }));
  expect(results).toEqual([
    { title: "t".repeat(200), url: "https://example.com/", text: "c".repeat(1_000), date: "d".repeat(40) },
    {
      title: `${"t".repeat(199)}…`,
      url: "https://example.com/",
      text: `${"c".repeat(999)}…`,
      date: `${"d".repeat(39)}…`,
    },
  ]);
});

test("drops URLs of more than 2,048 characters", async () => {
  const of = (length: number) => ({ title: "t", url: "https://example.com/".padEnd(length, "x") });
  const server = await serverWith(
    responseWith("searxng", [of(2_049), of(2_048), { url: "https://example.com/ü".padEnd(2_048, "x") }]),
  );
  const { results } = await answerOf(search(settings("searxng", server), { format: "json" }));
  expect(results).toMatchObject([{ url: of(2_048).url }]);
});

const maxBytes = 2_097_152;

test.each([
  [maxBytes, { count: 8 }],
  [maxBytes + 1, { error_code: "SEARCH_FAILED" }],
])("reads a response of %i bytes", async (bytes, expected) => {
  const body = responseWith("searxng", many);
  const server = await serverWith(body.padEnd(bytes, " "));
  expect(await answerOf(search(settings("searxng", server)))).toMatchObject(expected);
});

test("stops reading a response that does not end", async () => {
  let sent = 0;
  const server = await serverOf((response) => {
    const chunk = Buffer.alloc(65_536, " ");
    const more = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
    };
    response.on("drain", more).on("error", () => {});
    more();
  });
  expect(await answerOf(search(settings("brave", server)))).toEqual({
    error: "Brave Search sent a response that cannot be used: The response is larger than 2 MiB.",
    error_code: "SEARCH_FAILED",
  });
  expect(sent).toBeLessThan(20 * maxBytes);
});

test("keeps its answer within the host's limit, and counts all", async () => {
  const server = await serverWith(responseWith("searxng", many));
  const env = { ...settings("searxng", server), IKIGAI_MAX_OUTPUT_BYTES: "300" };
  for (const format of ["text", "json"]) {
    const end = await search(env, { format, count: 20 });
    expect(Buffer.byteLength(end.stdout)).toBeLessThanOrEqual(300);
    expect(end.result).toMatchObject({ count: 20, truncated: true });
  }
});

test("fits twenty of the longest results into one answer", async () => {
  const long = { title: "t".repeat(200), url: "https://example.com/".padEnd(200, "x"), content: "c".repeat(1_000) };
  const server = await serverWith(responseWith("searxng", Array(20).fill(long)));
  const env = { ...settings("searxng", server), IKIGAI_MAX_OUTPUT_BYTES: "65536" };
  expect(await answerOf(search(env, { count: 20 }))).not.toHaveProperty("truncated");
});
