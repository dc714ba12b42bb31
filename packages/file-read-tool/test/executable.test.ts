import { copyFileSync } from "node:fs";
import { call, describeTool, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, bin } from "./run.ts";

describeTool(bin, { test, calls: [{ file_path: bin }, { file_path: bin, limit: 2 }, { file_path: "missing" }] });

test.each(["module", "commonjs"])("works when copied below a package.json of type %s", async (type) => {
  const cwd = await tempDir({ "package.json": JSON.stringify({ type }), a: "one\ntwo\n" });
  copyFileSync(bin, `${cwd}/file-read-tool`);
  expect(await call(`${cwd}/file-read-tool`, { file_path: "a", offset: 2 }, { cwd })).toEqual(answer("two\n", 1));
});

test("answers the same if it was started ahead", async () => {
  const cwd = await tempDir({ a: "one\ntwo\n" });
  const options = { cwd, env: { IKIGAI_PRESTART: "1" } };
  expect(await call(bin, { file_path: "a", limit: 1 }, options)).toEqual(answer("one\n", 1));
});
