// @module-tag tables
import { copyFileSync, readdirSync, readFileSync } from "node:fs";
import { call, describeTool, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, bin } from "./run.ts";

describeTool(bin, {
  test,
  calls: [
    { file_path: "a", content: "new" },
    { file_path: "missing/a", content: "" },
  ],
});

test.each(["module", "commonjs"])("works when copied below a package.json of type %s", async (type) => {
  const cwd = await tempDir({ "package.json": JSON.stringify({ type }) });
  copyFileSync(bin, `${cwd}/file-write-tool`);
  expect(await call(`${cwd}/file-write-tool`, { file_path: "a", content: "new" }, { cwd })).toEqual(answer("a", 3));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("new");
});

test("writes nothing if it was started ahead and no call came", async () => {
  const cwd = await tempDir();
  const options = { cwd, env: { IKIGAI_PRESTART: "1" } };
  expect(await call(bin, "", options)).toMatchObject({ exitCode: 1, stdout: "" });
  expect(readdirSync(cwd)).toEqual([]);
  expect(await call(bin, { file_path: "a", content: "new" }, options)).toEqual(answer("a", 3));
});
