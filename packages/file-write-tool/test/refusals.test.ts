import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { answer, bin, failure, write } from "./run.ts";

const notADirectory = "A part of the path is a file, not a directory.";
const endsWithSlash = "It ends with a slash, so it can only be a directory.";

test.each([
  [
    "a missing directory",
    "no/a",
    "Cannot open file: no/a",
    "OPEN_FAILED",
    "The directory no does not exist. To create it: mkdir -p no",
  ],
  [
    "a link into a missing directory",
    "dangling",
    "Cannot open file: dangling",
    "OPEN_FAILED",
    "It is a symbolic link to no/a, which does not exist.",
  ],
  ["a link to itself", "loop", "Cannot open file: loop", "OPEN_FAILED", "Its symbolic links form a cycle."],
  ["an empty path", "", "file_path cannot be empty", "INVALID_ARG", undefined],
  ["a directory", "sub", "Cannot open file: sub", "OPEN_FAILED", "It is a directory."],
  ["the directory itself", ".", "Cannot open file: .", "OPEN_FAILED", "It is a directory."],
  ["a path below a file", "a/b", "Cannot open file: a/b", "OPEN_FAILED", notADirectory],
  ["a new directory", "new/", "Cannot open file: new/", "OPEN_FAILED", endsWithSlash],
  ["a file as if it were a directory", "a/", "Cannot open file: a/", "OPEN_FAILED", endsWithSlash],
  [
    "a FIFO without a reader",
    "fifo",
    "Cannot open file: fifo",
    "OPEN_FAILED",
    "It is a socket, a FIFO without a reader, or a device that does not exist.",
  ],
  ["a full device", "/dev/full", "No space left on device: /dev/full", "NO_SPACE", undefined],
  [
    "a directory in which nothing can be created",
    "/proc/a",
    "Permission denied: /proc/a",
    "PERMISSION_DENIED",
    expect.any(String),
  ],
  [
    "a name that is too long",
    "x".repeat(256),
    `Cannot open file: ${"x".repeat(256)}`,
    "OPEN_FAILED",
    "The name is too long for the file system.",
  ],
  ["NUL in the path", "a\0b", "file_path contains a NUL character", "INVALID_ARG", undefined],
])("rejects %s at once", async (_, path, error, code, hint) => {
  const cwd = await tempDir({ a: "old", "sub/": "", dangling: { link: "no/a" }, loop: { link: "loop" } });
  execFileSync("mkfifo", [`${cwd}/fifo`]);
  expect(await write(path, "new", { cwd, timeoutMs: 5_000 })).toEqual(failure(error, code, hint));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("old");
  expect(readdirSync(cwd)).toEqual(["a", "dangling", "fifo", "loop", "sub"]);
});

test("reports that its working directory was removed", async () => {
  const cwd = await tempDir({ "gone/": "" });
  const script = `cd gone && rmdir ../gone && exec ${bin}`;
  const input = JSON.stringify({ file_path: "a", content: "" });
  expect(JSON.parse(execFileSync("sh", ["-c", script], { cwd, input, encoding: "utf8" }))).toEqual({
    error: "Cannot open file: a",
    error_code: "OPEN_FAILED",
    hint: "The directory . does not exist. To create it: mkdir -p .",
  });
});

test.each([
  ["file_path", '{"file_path":"a\\ud83d","content":""}'],
  ["content", '{"file_path":"a","content":"\\udc00"}'],
])("rejects half of a surrogate pair in %s", async (name, input) => {
  const cwd = await tempDir();
  expect(await call(bin, input, { cwd })).toEqual(
    failure(`${name} is not valid Unicode: it contains half of a surrogate pair`, "INVALID_ARG"),
  );
  expect(readdirSync(cwd)).toEqual([]);
});

test("rejects input that is not UTF-8", async () => {
  const cwd = await tempDir();
  const input = Buffer.from('{"file_path":"a","content":"\xff"}', "latin1");
  expect(await call(bin, input, { cwd })).toEqual({
    exitCode: 1,
    stdout: "",
    stderr: "Expected a JSON object in UTF-8 on stdin, got bytes that are not UTF-8.\n",
  });
});

test("writes in place to anything but a regular file", async () => {
  const cwd = await tempDir({ null: { link: "/dev/null" } });
  expect(await write("/dev/null", "gone", {})).toEqual(answer("null", 4));
  expect(await write("null", "gone", { cwd })).toEqual(answer("null", 4));
  expect(readdirSync(cwd)).toEqual(["null"]);
});

test("writes to a FIFO with a reader, more than fits into it", async () => {
  const cwd = await tempDir();
  execFileSync("mkfifo", [`${cwd}/fifo`]);
  const reader = spawn("cat", ["fifo"], { cwd });
  const received = text(reader.stdout);
  const content = "é\n".repeat(100_000);
  let end = await write("fifo", content, { cwd });
  // Until cat has opened it, it has no reader.
  while (end.result?.error_code === "OPEN_FAILED") end = await write("fifo", content, { cwd });
  expect(end).toEqual(answer("fifo", 300_000));
  expect((await received) === content).toBe(true);
  if (reader.exitCode === null) await once(reader, "exit");
});
