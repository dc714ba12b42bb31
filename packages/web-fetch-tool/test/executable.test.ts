// @module-tag tables
import { copyFileSync } from "node:fs";
import { call, describeTool, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { output } from "../src/schema.ts";
import { bin, siteOf } from "./site.ts";

// Calls that need no network.
describeTool(bin, { test, calls: [{ url: "http://127.0.0.1/" }, { url: "ftp://example.com/", raw: true }] });

test.each(["module", "commonjs"])("works when copied below a package.json of type %s", async (type) => {
  const dir = await tempDir({ "package.json": JSON.stringify({ type }) });
  copyFileSync(bin, `${dir}/web-fetch-tool`);
  const { result } = await call(`${dir}/web-fetch-tool`, { url: "http://10.0.0.1/" });
  expect(result).toMatchObject({ error_code: "BLOCKED_ADDRESS" });
});

test("answers the same if it was started ahead of the call", async () => {
  const { fetch } = await siteOf("text", "text/plain");
  const { result } = await fetch({ url: "/" }, { env: { IKIGAI_PRESTART: "1" } });
  expect(result).toMatchObject({ output: "text", lines: 1 });
});

test("prints its schema", async () => {
  expect((await call(bin, "", { args: ["--schema"] })).result).toMatchObject({
    name: "web_fetch",
    parameters: { required: ["url"], properties: { url: { type: "string" }, raw: { type: "boolean" } } },
    outputSchema: { properties: output.properties },
    annotations: { readOnlyHint: true, openWorldHint: true },
    ikigai: { prestart: true, serves: true, needs: { env: ["IKIGAI_WEB_ALLOW"] } },
  });
});
