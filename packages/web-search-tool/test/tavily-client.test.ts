import { tavily } from "@tavily/core";
import { expect, test } from "vitest";
import { answerOf, key, recorded, search, serverOf, serverWith, settings } from "./search-server.ts";

/** Tavily's own client at the server of a test. */
const clientOf = ({ origin }: { origin: string }) => tavily({ apiKey: key, apiBaseURL: origin });

test("Tavily's client sends the same request and finds the same results", async () => {
  const server = await serverWith(recorded("tavily"));
  const found = await clientOf(server).search("node streams", { maxResults: 3, timeRange: "week" });
  const { results } = await answerOf(
    search(settings("tavily", server), { count: 3, freshness: "week", format: "json" }),
  );
  expect(found.results.map(({ title, url, content }) => ({ title, url, text: content }))).toEqual(
    (results as { title: string; url: string; text: string }[]).map(({ title, url, text }) => ({ title, url, text })),
  );
  const [theirs, ours] = server.requests;
  const about = (request: typeof theirs) => ({
    method: request?.method,
    url: request?.url,
    authorization: request?.headers.authorization,
    type: request?.headers["content-type"],
  });
  expect(about(ours)).toEqual(about(theirs));
  expect(JSON.parse(theirs?.body ?? "")).toMatchObject(JSON.parse(ours?.body ?? ""));
});

test("Tavily's client reads the reason of an error from the same place", async () => {
  const body = JSON.stringify({ detail: { error: "Unauthorized: missing or invalid API key." } });
  const server = await serverOf((response) =>
    response.writeHead(401, { "content-type": "application/json" }).end(body),
  );
  await expect(clientOf(server).search("node streams")).rejects.toThrow("Unauthorized: missing or invalid API key.");
  expect(await answerOf(search(settings("tavily", server)))).toMatchObject({
    error: expect.stringContaining("Unauthorized: missing or invalid API key."),
    error_code: "UNAUTHORIZED",
  });
});
