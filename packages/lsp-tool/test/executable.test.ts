// @module-tag tables
import { call, describeTool, ownExecutable, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";

const bin = ownExecutable(import.meta.url);

describeTool(bin, { test, calls: [{ action: "hover", path: "nothing.none" }] });

test.each([
  ["a.none", { error: "No language server for .none files is installed", error_code: "NO_SERVER" }],
  ["b.none", { error: "File not found", error_code: "FILE_NOT_FOUND" }],
])("says about %s why it cannot help", async (path, answer) => {
  const cwd = await tempDir({ "a.none": "text\n" });
  expect((await call(bin, { action: "definition", path, line: 1 }, { cwd })).result).toEqual(answer);
});
