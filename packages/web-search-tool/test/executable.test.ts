// @module-tag tables
import { copyFileSync } from "node:fs";
import { call, describeTool, startServed, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { output } from "../src/schema.ts";
import { answerOf, bin, names, recorded, search, serverWith, settings } from "./search-server.ts";

// Calls that need no network and no key.
describeTool(bin, { test, calls: [{ query: "node streams" }, { query: "", format: "json" }] });

test.each(["module", "commonjs"])("works when copied below a package.json of type %s", async (type) => {
  const dir = await tempDir({ "package.json": JSON.stringify({ type }) });
  copyFileSync(bin, `${dir}/web-search-tool`);
  expect((await call(`${dir}/web-search-tool`, { query: " " })).result).toMatchObject({ error_code: "INVALID_ARG" });
});

test("answers the same if it was started ahead of the call", async () => {
  const server = await serverWith(recorded("brave"));
  const env = settings("brave", server);
  expect(await answerOf(search({ ...env, IKIGAI_PRESTART: "1" }))).toEqual(await answerOf(search(env)));
});

test("answers several calls from one process", async () => {
  const server = await serverWith(recorded("searxng"));
  await using served = await startServed(bin, { env: settings("searxng", server) });
  expect(await served.nextLine()).toBe('{"ready":true}');
  const lines = [];
  for (const format of ["text", "json", "text"]) {
    lines.push(JSON.parse((await served.call({ query: "node streams", format })) ?? "").answer);
    expect(await served.nextLine()).toBe('{"ready":true}');
  }
  expect(lines).toMatchObject([{ count: 2 }, { results: [{}, {}] }, lines[0]]);
});

test("prints its schema", async () => {
  const variables = names.flatMap((name) => {
    const upper = name.toUpperCase();
    return name === "searxng" ? [`${upper}_BASE_URL`] : [`${upper}_API_KEY`, `${upper}_BASE_URL`];
  });
  expect((await call(bin, "", { args: ["--schema"] })).result).toMatchObject({
    name: "web_search",
    parameters: { required: ["query"], properties: { query: { type: "string" }, count: { minimum: 1, maximum: 20 } } },
    outputSchema: { properties: output.properties },
    annotations: { readOnlyHint: true, openWorldHint: true },
    ikigai: { prestart: true, serves: true, needs: { env: ["IKIGAI_WEB_SEARCH", ...variables] } },
  });
});
