// @module-tag tables
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, bin, failure, read } from "./run.ts";

const text = "one\ntwo\nthree\nfour";

test.each([
  ["the whole file", {}, text, 4],
  ["from a line on", { offset: 3 }, "three\nfour", 2],
  ["some lines from the start", { limit: 2 }, "one\ntwo\n", 2],
  ["some lines in the middle", { offset: 2, limit: 2 }, "two\nthree\n", 2],
  ["as many lines as there are", { offset: 3, limit: 100 }, "three\nfour", 2],
  ["the last line", { offset: 4 }, "four", 1],
  ["nothing after the end", { offset: 5 }, "", 0],
  ["nothing far after the end", { offset: 9_007_199_254_740_991, limit: 9_007_199_254_740_991 }, "", 0],
  ["from the start for an offset of 0", { offset: 0, limit: 1 }, "one\n", 1],
  ["from the start for a negative offset", { offset: -5, limit: 1 }, "one\n", 1],
  ["nothing for a limit of 0", { limit: 0 }, "", 0],
  ["nothing for a negative limit", { offset: 2, limit: -1 }, "", 0],
  ["everything for null, which counts as absent", { offset: null, limit: null }, text, 4],
])("reads %s", async (_, range, output, linesRead) => {
  const cwd = await tempDir({ "a.txt": text });
  expect(await read({ file_path: "a.txt", ...range }, { cwd })).toEqual(answer(output, linesRead));
});

test("accepts other agents' names for the path, and names what it ignored", async () => {
  const cwd = await tempDir({ "a.txt": text });
  for (const name of ["path", "filePath", "absolute_path", "target_file"])
    expect(await read({ [name]: "a.txt", limit: 1 }, { cwd })).toEqual(answer("one\n", 1));
  const { result } = await read({ file_path: "a.txt", path: "b.txt", limit: 1, encoding: "utf8" }, { cwd });
  expect(result).toEqual({ output: "one\n", lines_read: 1, ignored: ["path", "encoding"] });
});

test("reads an absolute path, and through a symbolic link", async () => {
  const cwd = await tempDir({ "a.txt": "a\n", b: { link: "a.txt" }, "sub/c": { link: "../b" } });
  expect(await read({ file_path: `${cwd}/a.txt` })).toEqual(answer("a\n", 1));
  expect(await read({ file_path: "sub/c" }, { cwd })).toEqual(answer("a\n", 1));
});

test.each([
  ["an empty file", "", 0],
  ["one newline", "\n", 1],
  ["empty lines", "\n\n\n", 3],
  ["carriage returns", "a\r\nb\rc\r\n", 2],
  ["a byte order mark", "\ufeffa\n", 1],
  ["NUL and other controls", "\u0000\u0001\u001b[0m\u007f\n", 1],
  ["characters of every length", "aé日🎉\n", 1],
  ["line separators that are not newlines", "a\u2028b\u0085c\n", 1],
])("keeps %s", async (_, content, linesRead) => {
  const cwd = await tempDir({ a: content });
  expect(await read({ file_path: "a" }, { cwd })).toEqual(answer(content, linesRead));
  expect(await read({ file_path: "a", offset: 1, limit: 9 }, { cwd })).toEqual(answer(content, linesRead));
});

test("replaces invalid UTF-8 with U+FFFD", async () => {
  const cwd = await tempDir({
    latin1: Buffer.from("caf\xe9 \xff\xfe\n", "latin1"),
    cut: Buffer.from([0xf0, 0x9f, 0x8e]),
  });
  const hint = expect.stringMatching(/^Line 1 is the first that is not UTF-8/);
  expect(await read({ file_path: "latin1" }, { cwd })).toEqual(answer("caf\ufffd \ufffd\ufffd\n", 1, { hint }));
  expect(await read({ file_path: "cut" }, { cwd })).toEqual(answer("\ufffd", 1, { hint }));
});

test("keeps characters that are split over two reads", async () => {
  const content = `${"é日🎉".repeat(50_000)}\n`;
  for (const shift of ["", "x", "xx", "xxx"]) {
    const cwd = await tempDir({ a: `${shift}${content}second\n` });
    expect(await read({ file_path: "a", limit: 1 }, { cwd })).toEqual(answer(`${shift}${content}`, 1));
  }
});

test("counts lines that span many reads", async () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => `${index + 1} ${"x".repeat(index % 50)}\n`);
  const cwd = await tempDir({ a: lines.join("") });
  for (const [offset, limit] of [
    [1, 100_000],
    [50_000, 7],
    [99_999, 5],
    [12_345, 40_000],
  ] as const) {
    const wanted = lines.slice(offset - 1, offset - 1 + limit);
    const end = await read({ file_path: "a", offset, limit }, { cwd });
    expect(end).toEqual(answer(wanted.join(""), wanted.length));
  }
});

test("reads files in /proc, whose size is 0", async () => {
  const { result } = await read({ file_path: "/proc/self/status", limit: 1 });
  expect(result).toEqual({ output: expect.stringMatching(/^Name:\t\w+\n$/), lines_read: 1 });
  expect((await read({ file_path: "/proc/self/maps" })).result?.output).toMatch(/node/);
});

test.each([[{ name: "a" }, 'Expected "file_path" (string), which is missing: Path to the file.\n']])(
  "rejects %j",
  async (input, stderr) => {
    expect(await read(input)).toEqual({ exitCode: 1, stdout: "", stderr });
  },
);

test.each([
  [{ file_path: "a", offset: 1.5 }, 'Expected "offset" to be an integer, got 1.5 (number).'],
  [{ file_path: "a", limit: "2s" }, 'Expected "limit" to be an integer, got "2s" (string).'],
  [{ file_path: ["a"] }, 'Expected "file_path" to be a string, got ["a"] (array).'],
])("answers %j with an error", async (input, error) => {
  expect(await read(input)).toEqual(failure(error, "INVALID_PARAMS"));
});

test("reads numbers that are written as strings", async () => {
  const cwd = await tempDir({ a: "1\n2\n3\n" });
  expect(await read({ file_path: "a", offset: "2", limit: "1" }, { cwd })).toEqual(answer("2\n", 1));
});

test("prints its schema", async () => {
  expect((await read({}, { args: ["--schema"] })).result).toMatchObject({
    name: "file_read",
    description: expect.stringMatching(/^Read a file: text, /),
    parameters: {
      type: "object",
      properties: { file_path: { type: "string" }, offset: { type: "integer" }, limit: { type: "integer" } },
      required: ["file_path"],
    },
    annotations: { readOnlyHint: true },
    ikigai: { prestart: true, access: { kind: "read-file", path: "file_path" } },
  });
  expect(bin.endsWith("file-read-tool")).toBe(true);
});

test.each([
  ["UTF-16LE", Buffer.from("\ufeffa\nb\n", "utf16le"), 2, /^The file is UTF-16LE, not UTF-8/],
  ["Latin-1", Buffer.from("a\nb\ncaf\xe9\n", "latin1"), 1, /^Line 3 is the first that is not UTF-8/],
  ["Latin-1, read from line 2", Buffer.from("a\nb\ncaf\xe9", "latin1"), 2, /^Line 3 is the first that is not UTF-8/],
])("says that a file is not UTF-8: %s", async (_, content, offset, hint) => {
  const cwd = await tempDir({ a: content });
  expect((await read({ file_path: "a", offset }, { cwd })).result?.hint).toMatch(hint);
});

test("does not mention the encoding if only the answer's last character is cut", async () => {
  const cwd = await tempDir({ a: "é".repeat(5_000) });
  for (const maxBytes of ["1000", "1001"]) {
    const { result } = await read({ file_path: "a" }, { cwd, env: { IKIGAI_MAX_OUTPUT_BYTES: maxBytes } });
    expect(result).toMatchObject({ truncated: true });
    expect(result).not.toHaveProperty("hint");
  }
});
