// @module-tag tables
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, readdirSync, readFileSync } from "node:fs";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { asNobody, bin, edit, failure } from "./run.ts";

test.each([
  ["the same text twice", { old_string: "one", new_string: "one" }, "old_string and new_string are identical"],
  ["an empty old_string", { old_string: "", new_string: "one" }, "old_string cannot be empty"],
  ["two empty texts", { old_string: "", new_string: "" }, "old_string cannot be empty"],
])("rejects %s", async (_, change, error) => {
  const cwd = await tempDir({ a: "one" });
  expect(await edit(cwd, change)).toEqual(failure(error, "INVALID_ARG"));
  expect(await edit(cwd, { ...change, replace_all: true })).toEqual(failure(error, "INVALID_ARG"));
});

test.each(["file_path", "old_string", "new_string"])("rejects half of a surrogate pair in %s", async (name) => {
  const cwd = await tempDir({ a: "one" });
  const input = JSON.stringify({ file_path: "a", old_string: "b", new_string: "c", [name]: "x\ud83d" });
  const error = `${name} is not valid Unicode: it contains half of a surrogate pair`;
  expect(await call(bin, input, { cwd })).toEqual(failure(error, "INVALID_ARG"));
});

test.each([
  ["a missing file", "nope", "File not found: nope", "FILE_NOT_FOUND", {}],
  ["a missing directory", "no/a", "File not found: no/a", "FILE_NOT_FOUND", {}],
  ["a directory", "sub", "Cannot open file: sub", "OPEN_FAILED", { hint: "It is a directory, not a regular file." }],
  ["a FIFO", "fifo", "Cannot seek file: fifo", "SEEK_FAILED", { hint: "It is a FIFO, not a regular file." }],
  [
    "a device",
    "/dev/zero",
    "Cannot get file size: /dev/zero",
    "SIZE_FAILED",
    { hint: "It is a device, not a regular file." },
  ],
  ["an empty path", "", "file_path cannot be empty", "INVALID_ARG", {}],
  ["NUL in the path", "a\0", "file_path contains a NUL character", "INVALID_ARG", {}],
])("rejects %s at once", async (_, file_path, error, code, details) => {
  const cwd = await tempDir({ a: "one", "sub/": "" });
  execFileSync("mkfifo", [`${cwd}/fifo`]);
  const input = { file_path, old_string: "one", new_string: "two" };
  expect(await call(bin, input, { cwd, timeoutMs: 5_000 })).toEqual(failure(error, code, details));
  expect(readdirSync(cwd)).toEqual(["a", "fifo", "sub"]);
});

test.runIf(process.getuid?.() === 0).each([
  ["is not readable", 0o600, 0],
  ["is not writable", 0o644, 65534],
])("rejects a file that %s", async (_, mode, directoryOwner) => {
  const cwd = await tempDir({ "dir/a": { content: "one", mode } });
  chownSync(`${cwd}/dir`, directoryOwner, directoryOwner);
  chmodSync(cwd, 0o755);
  const input = { file_path: "dir/a", old_string: "one", new_string: "two" };
  const end = await call(await asNobody(), input, { cwd });
  const hint = directoryOwner === 0 ? { hint: "Files cannot be created in dir, which replacing a file requires." } : {};
  expect(end).toEqual(failure("Permission denied: dir/a", "PERMISSION_DENIED", hint));
  expect(readFileSync(`${cwd}/dir/a`, "utf8")).toBe("one");
  expect(readdirSync(`${cwd}/dir`)).toEqual(["a"]);
});

test("counts a text that is not unique, and lists its lines", async () => {
  const cwd = await tempDir({ a: "x\ny x x\n\nz\nx" });
  expect(await edit(cwd, { old_string: "x", new_string: "y" })).toEqual(
    failure("String found 4 times, use replace_all to replace all", "NOT_UNIQUE", { lines: [1, 2, 5] }),
  );
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("x\ny x x\n\nz\nx");
});

test("lists the first hundred lines of many", async () => {
  const cwd = await tempDir({ a: "x\n".repeat(100_000) });
  const { result } = await edit(cwd, { old_string: "x\n", new_string: "y" });
  expect(result).toEqual({
    error: "String found 100000 times, use replace_all to replace all",
    error_code: "NOT_UNIQUE",
    lines: Array.from({ length: 100 }, (_, index) => index + 1),
  });
});
