import { readFileSync } from "node:fs";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, bin } from "./run.ts";

const change = (old_string: string, new_string: string, more = {}) => ({ old_string, new_string, ...more });

test.each([
  ["in order", [change("a", "b"), change("b\n", "c\n")], "c\nx x\n", 2],
  ["with replace_all", [change("x", "y", { replace_all: true }), change("a", "b")], "b\ny y\n", 3],
  ["as a JSON text, as some models write it", JSON.stringify([change("a", "b")]), "b\nx x\n", 1],
  ["by the names of other agents", [{ oldText: "a", newText: "b" }], "b\nx x\n", 1],
])("makes several edits %s", async (_, edits, after, count) => {
  const cwd = await tempDir({ a: "a\nx x\n" });
  const sentence = `Replaced ${count} ${count === 1 ? "occurrence" : "occurrences"} in a`;
  expect(await call(bin, { path: "a", edits }, { cwd })).toEqual(answer(sentence, count));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe(after);
});

test.each([
  ["a text that is not there", [change("a", "b"), change("z", "y")], "NOT_FOUND"],
  ["a text that is there twice", [change("a", "b"), change("x", "y")], "NOT_UNIQUE"],
  ["an empty text", [change("a", "b"), change("", "y")], "INVALID_ARG"],
])("makes none of several edits if one is of %s, and names that one", async (_, edits, code) => {
  const cwd = await tempDir({ a: "a\nx x\n" });
  const { result } = await call(bin, { file_path: "a", edits }, { cwd });
  expect(result).toMatchObject({
    error_code: code,
    hint: expect.stringMatching(/^This is edit 2 of 2; none was made\./),
  });
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("a\nx x\n");
});

test.each([
  [{ edits: [] }],
  [{ edits: [{ old_string: "a" }] }],
  [{ edits: [change("a", "b")], old_string: "a", new_string: "c" }],
])("answers %j with an error", async (args) => {
  const cwd = await tempDir({ a: "a\n" });
  const { exitCode, result } = await call(bin, { file_path: "a", ...args }, { cwd });
  expect([exitCode, result?.error_code]).toEqual([0, "INVALID_PARAMS"]);
});

test("does not show the list to the model", async () => {
  expect(Object.keys(Object((await call(bin, "", { args: ["--schema"] })).result?.parameters).properties)).toEqual([
    "file_path",
    "old_string",
    "new_string",
    "replace_all",
  ]);
});
