// @module-tag tables
import { copyFileSync } from "node:fs";
import { call, describeTool, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { output } from "../src/schema.ts";
import { answer, bin } from "./find.ts";

describeTool(bin, {
  test,
  calls: [{ pattern: "/usr/bin/*" }, { pattern: "*", path: "/usr/bin", format: "json" }, { pattern: "missing" }],
});

test.each(["module", "commonjs"])("works when copied below a package.json of type %s", async (type) => {
  const dir = await tempDir({ "package.json": JSON.stringify({ type }), a: "" });
  copyFileSync(bin, `${dir}/glob-tool`);
  expect(await call(`${dir}/glob-tool`, { pattern: "?" }, { cwd: dir })).toEqual(answer("a"));
});

test("answers the same if it was started ahead of the call", async () => {
  const cwd = await tempDir({ a: "" });
  expect(await call(bin, { pattern: "?" }, { cwd, env: { IKIGAI_PRESTART: "1" } })).toEqual(answer("a"));
});

test("prints its schema", async () => {
  expect((await call(bin, "", { args: ["--schema"] })).result).toMatchObject({
    name: "glob",
    description: expect.stringMatching(/^Find files by a glob pattern: /),
    parameters: { required: ["pattern"], properties: { pattern: { type: "string" }, path: { type: "string" } } },
    outputSchema: output,
    annotations: { readOnlyHint: true, openWorldHint: false },
    ikigai: { prestart: true, access: { kind: "list-files", path: "path", pattern: "pattern" } },
  });
});
