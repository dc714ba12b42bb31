// @module-tag tables
import { copyFileSync } from "node:fs";
import { call, describeTool, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin } from "./catalog.ts";

describeTool(bin, { test, calls: [{ name: "db" }, { query: "a database" }, {}] });

test.each(["module", "commonjs"])("works when copied below a package.json of type %s", async (type) => {
  const dir = await tempDir({
    "package.json": JSON.stringify({ type }),
    c: '{"kind":"tool","name":"a","description":"b"}',
  });
  copyFileSync(bin, `${dir}/load-tool`);
  const { result } = await call(`${dir}/load-tool`, { name: "a" }, { env: { IKIGAI_CATALOG: `${dir}/c` } });
  expect(result).toEqual({ output: "a: b", introduces: ["a"] });
});

test("asks for the catalog", async () => {
  const { result } = await call(bin, "", { args: ["--schema"] });
  expect(result?.ikigai).toMatchObject({ catalog: true });
});
