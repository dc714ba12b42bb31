// @module-tag tables
import { linkSync, readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, bin, edit, failure } from "./run.ts";

test.each([
  ["one occurrence", "debug = false\n", { old_string: "false", new_string: "true" }, "debug = true\n", 1],
  ["one, asked for all", "a-b", { old_string: "-", new_string: "+", replace_all: true }, "a+b", 1],
  ["all occurrences", "a-b-c-", { old_string: "-", new_string: "--", replace_all: true }, "a--b--c--", 3],
  ["by nothing, which deletes", "abc", { old_string: "b", new_string: "" }, "ac", 1],
  ["all of the file", "abc", { old_string: "abc", new_string: "" }, "", 1],
  ["overlapping occurrences once", "aaa", { old_string: "aa", new_string: "b" }, "ba", 1],
  [
    "overlapping occurrences from the start",
    "aaaaa",
    { old_string: "aa", new_string: "b", replace_all: true },
    "bba",
    2,
  ],
  ["by text that contains the old text", "x", { old_string: "x", new_string: "xx", replace_all: true }, "xx", 1],
  [
    "by special characters",
    "a b c",
    { old_string: "b", new_string: "$& $1 $$ $` \\1 \\n" },
    "a $& $1 $$ $` \\1 \\n c",
    1,
  ],
  ["special characters", "a.*[b]$", { old_string: ".*[b]$", new_string: "!" }, "a!", 1],
  ["several lines", "one\ntwo\nthree\n", { old_string: "one\ntwo\n", new_string: "2\n" }, "2\nthree\n", 1],
  ["characters of every length", "aé日🎉", { old_string: "日🎉", new_string: "é" }, "aéé", 1],
  ["NUL", "a\0b", { old_string: "\0", new_string: "\n" }, "a\nb", 1],
])("replaces %s", async (_, before, change, after, count) => {
  const cwd = await tempDir({ a: before });
  const occurrences = count === 1 ? "1 occurrence" : `${count} occurrences`;
  expect(await edit(cwd, change)).toEqual(answer(`Replaced ${occurrences} in a`, count));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe(after);
  expect(readdirSync(cwd)).toEqual(["a"]);
});

test("prints only the file's name", async () => {
  const cwd = await tempDir({ "sub/config.txt": "debug = false" });
  const input = { file_path: `${cwd}/sub/config.txt`, old_string: "false", new_string: "true" };
  expect(await call(bin, input)).toEqual(answer("Replaced 1 occurrence in config.txt", 1));
});

test("accepts old_text and new_text without advertising them", async () => {
  const cwd = await tempDir({ a: "one" });
  const input = { file_path: "a", old_text: "one", new_text: "two" };
  expect(await call(bin, input, { cwd })).toEqual(answer("Replaced 1 occurrence in a", 1));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("two");
  expect((await call(bin, "", { args: ["--schema"] })).stdout).not.toContain("old_text");
});

test("prefers a parameter's own name to an alias", async () => {
  const cwd = await tempDir({ a: "one two" });
  const input = { file_path: "a", old_string: "one", old_text: "two", new_string: "1", new_text: null };
  await call(bin, input, { cwd });
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("1 two");
});

test("does nothing if nothing occurs and all are to be replaced", async () => {
  const cwd = await tempDir({ a: "one" });
  const before = statSync(`${cwd}/a`, { bigint: true });
  const change = { old_string: "two", new_string: "2", replace_all: true };
  expect(await edit(cwd, change)).toEqual(answer("Replaced 0 occurrences in a", 0));
  const { ino, mtimeNs, ctimeNs } = statSync(`${cwd}/a`, { bigint: true });
  expect({ ino, mtimeNs, ctimeNs }).toEqual({ ino: before.ino, mtimeNs: before.mtimeNs, ctimeNs: before.ctimeNs });
});

test("keeps the mode and follows links", async () => {
  const cwd = await tempDir({ "real/a": { content: "one", mode: 0o751 }, b: { link: "real/a" }, a: { link: "b" } });
  expect(await edit(cwd, { old_string: "one", new_string: "two" })).toEqual(answer("Replaced 1 occurrence in a", 1));
  expect(readFileSync(`${cwd}/real/a`, "utf8")).toBe("two");
  expect(statSync(`${cwd}/real/a`).mode & 0o7777).toBe(0o751);
  expect(readlinkSync(`${cwd}/a`)).toBe("b");
});

test("warns if the file had other hard links", async () => {
  const cwd = await tempDir({ a: "one" });
  linkSync(`${cwd}/a`, `${cwd}/b`);
  const warning = "It had 2 names (hard links); the others keep the old content.";
  const end = await edit(cwd, { old_string: "one", new_string: "two" });
  expect(end).toEqual(answer("Replaced 1 occurrence in a", 1, { warning }));
});

test("refuses a call without a required parameter", async () => {
  const cwd = await tempDir({ a: "a" });
  const stderr = expect.stringMatching(/^Expected "old_string" \(string\), which is missing: .*\n$/);
  expect(await call(bin, { file_path: "a", new_string: "b" }, { cwd })).toEqual({ exitCode: 1, stdout: "", stderr });
});

test.each([
  [
    "a fraction instead of a string",
    { old_string: "a", new_string: 1.5 },
    'Expected "new_string" to be a string, got 1.5 (number).',
  ],
  [
    "a string instead of a boolean",
    { old_string: "a", new_string: "b", replace_all: "yes" },
    'Expected "replace_all" to be a boolean, got "yes" (string).',
  ],
  [
    "a wrong type behind an alias",
    { old_text: ["a"], new_text: "b" },
    'Expected "old_string" to be a string, got ["a"] (array).',
  ],
])("rejects %s", async (_, input, error) => {
  const cwd = await tempDir({ a: "a" });
  const end = await call(bin, { file_path: "a", ...input }, { cwd });
  expect(end).toEqual(failure(error, "INVALID_PARAMS"));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("a");
});

test("keeps its answer within the host's limit", async () => {
  const cwd = await tempDir({ a: "x\n".repeat(1_000) });
  const env = { IKIGAI_MAX_OUTPUT_BYTES: "120" };
  const { stdout, result } = await edit(cwd, { old_string: "x", new_string: "y" }, { env });
  expect(stdout.length).toBeLessThanOrEqual(120);
  const error = "String found 1000 times, use replace_all to replace all";
  expect(result).toEqual({ error, error_code: "NOT_UNIQUE", truncated: true });
});

test("prints its schema", async () => {
  expect((await call(bin, "", { args: ["--schema"] })).result).toMatchObject({
    name: "file_edit",
    description: expect.stringMatching(/^Edit a file by replacing exact text\. Read it first/),
    parameters: {
      type: "object",
      properties: {
        file_path: { type: "string" },
        old_string: { type: "string" },
        new_string: { type: "string" },
        replace_all: { type: "boolean" },
      },
      required: ["file_path", "old_string", "new_string"],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false },
    ikigai: { prestart: true, access: { kind: "edit-file", path: "file_path" } },
  });
});

test("edits and names the only file whose name has another white space", async () => {
  const cwd = await tempDir({ "a\u202fb": "old" });
  const change = { old_string: "old", new_string: "new" };
  const hint = "This is 'a\u202fb' (with U+202F, not a space): there is no 'a b'.";
  const end = await call(bin, { file_path: "a b", ...change }, { cwd });
  expect(end).toMatchObject(answer("Replaced 1 occurrence in a\u202fb", 1, { hint }));
  expect(readFileSync(`${cwd}/a\u202fb`, "utf8")).toBe("new");
});
