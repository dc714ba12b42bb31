// @module-tag tables
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, bin, write } from "./run.ts";

test("creates a file", async () => {
  const cwd = await tempDir();
  expect(await write("test.txt", "Hello, world!\n", { cwd })).toEqual(answer("test.txt", 14));
  expect(readFileSync(`${cwd}/test.txt`, "utf8")).toBe("Hello, world!\n");
  expect(readdirSync(cwd)).toEqual(["test.txt"]);
});

test("replaces a file, and prints only its name", async () => {
  const cwd = await tempDir({ "sub/test.txt": "something longer than what comes" });
  expect(await write(`${cwd}/sub/test.txt`, "short")).toEqual(answer("test.txt", 5));
  expect(await write("sub/../sub/test.txt", "shorter", { cwd })).toEqual(answer("test.txt", 7));
  expect(readFileSync(`${cwd}/sub/test.txt`, "utf8")).toBe("shorter");
  expect(readdirSync(`${cwd}/sub`)).toEqual(["test.txt"]);
});

test.each([
  ["nothing", ""],
  ["characters of every length", "aé日🎉"],
  ["NUL and other controls", "\0\u0001\r\n\u007f"],
  ["a byte order mark", "\ufeffa"],
  ["more than fits into a pipe", "0123456789\n".repeat(300_000)],
])("writes %s, and counts bytes", async (_, content) => {
  const cwd = await tempDir({ a: "old" });
  expect(await write("a", content, { cwd })).toEqual(answer("a", Buffer.byteLength(content)));
  expect(readFileSync(`${cwd}/a`, "utf8") === content).toBe(true);
});

test("gives a new file the mode that the umask allows", async () => {
  const cwd = await tempDir({ "masked-tool": '#!/bin/sh\numask 027; exec "$TOOL"\n' });
  await call(`${cwd}/masked-tool`, { file_path: "a", content: "" }, { cwd, env: { TOOL: bin } });
  expect(statSync(`${cwd}/a`).mode & 0o7777).toBe(0o640);
});

test("follows links, chains of links, and broken links", async () => {
  const cwd = await tempDir({
    "real/a": "old",
    "links/to-a": { link: "../real/a" },
    chain: { link: "links/to-a" },
    absolute: { link: "chain" },
    "links/dangling": { link: "../real/new" },
  });
  expect(await write("chain", "new", { cwd })).toEqual(answer("chain", 3));
  expect(await write("links/dangling", "newer", { cwd })).toEqual(answer("dangling", 5));
  expect(readFileSync(`${cwd}/real/a`, "utf8")).toBe("new");
  expect(readFileSync(`${cwd}/real/new`, "utf8")).toBe("newer");
  expect(readlinkSync(`${cwd}/chain`)).toBe("links/to-a");
  expect(readlinkSync(`${cwd}/links/dangling`)).toBe("../real/new");
  expect(readdirSync(`${cwd}/real`)).toEqual(["a", "new"]);
  expect(readdirSync(`${cwd}/links`)).toEqual(["dangling", "to-a"]);
});

test("accepts names of the maximum length", async () => {
  const cwd = await tempDir();
  const name = `${"é".repeat(127)}x`;
  expect(await write(name, "1", { cwd })).toEqual(answer(name, 1));
  expect(await write(name, "22", { cwd })).toEqual(answer(name, 2));
  expect(readdirSync(cwd)).toEqual([name]);
});

test("keeps its answer within the host's limit", async () => {
  const cwd = await tempDir();
  const { stdout, result } = await write("test.txt", "Hello", { cwd, env: { IKIGAI_MAX_OUTPUT_BYTES: "46" } });
  expect(stdout.length).toBeLessThanOrEqual(46);
  expect(result).toEqual({ output: "Wrote ", bytes: 5, truncated: true });
});

test.each([
  [{ file_path: "a" }, 'Expected "content" (string), which is missing: The whole content.\n'],
  [{ file_path: "a", content: null }, 'Expected "content" (string), which is missing: The whole content.\n'],
])("rejects %j and writes nothing", async (input, stderr) => {
  const cwd = await tempDir({ a: "old" });
  expect(await call(bin, input, { cwd })).toEqual({ exitCode: 1, stdout: "", stderr });
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("old");
});

test.each([[{ a: 1 }], [["x"]], [1.5]])("writes nothing for the content %j", async (content) => {
  const cwd = await tempDir({ a: "old" });
  const { exitCode, result } = await call(bin, { file_path: "a", content }, { cwd });
  expect([exitCode, result?.error_code]).toEqual([0, "INVALID_PARAMS"]);
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("old");
});

test.each([
  ["one\ntwo", "one\n", { lines_before: 2, lines_after: 1 }],
  ["", "a\n\nb", { lines_before: 0, lines_after: 3 }],
  [undefined, "a\n", {}],
])("tells a model how many lines the file had and has: %j", async (before, content, lines) => {
  const cwd = await tempDir(before === undefined ? {} : { a: before });
  const env = { IKIGAI_ANSWER_BYTES: "15000" };
  expect(await write("a", content, { cwd, env })).toEqual(answer("a", content.length, lines));
  expect(await write("a", content, { cwd })).toEqual(answer("a", content.length));
});

test("writes what a number or a boolean spells", async () => {
  const cwd = await tempDir();
  expect(await call(bin, { file_path: 5, content: true }, { cwd })).toEqual(answer("5", 4));
  expect(readFileSync(`${cwd}/5`, "utf8")).toBe("true");
});

test("prints its schema", async () => {
  expect((await call(bin, "", { args: ["--schema"] })).result).toMatchObject({
    name: "file_write",
    description: expect.stringMatching(/^Create a file, or replace all of it\./),
    parameters: {
      type: "object",
      properties: { file_path: { type: "string" }, content: { type: "string" } },
      required: ["file_path", "content"],
    },
    annotations: { readOnlyHint: false, destructiveHint: true },
    ikigai: { prestart: true, access: { kind: "write-file", path: "file_path" } },
  });
});
