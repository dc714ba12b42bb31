// @module-tag tables
import { copyFileSync, readFileSync } from "node:fs";
import { call, describeTool, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, bin } from "./run.ts";

const change = { file_path: "a", old_string: "one", new_string: "two" };

describeTool(bin, {
  test,
  cwd: await tempDir({ a: "one one" }),
  calls: [
    { ...change, replace_all: true },
    { ...change, file_path: "missing" },
  ],
});

test.each(["module", "commonjs"])("works when copied below a package.json of type %s", async (type) => {
  const cwd = await tempDir({ "package.json": JSON.stringify({ type }), a: "one" });
  copyFileSync(bin, `${cwd}/file-edit-tool`);
  expect(await call(`${cwd}/file-edit-tool`, change, { cwd })).toEqual(answer("Replaced 1 occurrence in a", 1));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("two");
});

test("works if it was started ahead", async () => {
  const cwd = await tempDir({ a: "one" });
  const options = { cwd, env: { IKIGAI_PRESTART: "1" } };
  expect(await call(bin, "", options)).toMatchObject({ exitCode: 1, stdout: "" });
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("one");
  expect(await call(bin, change, options)).toEqual(answer("Replaced 1 occurrence in a", 1));
});
