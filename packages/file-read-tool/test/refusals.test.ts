// @module-tag tables
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync } from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { call, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, failure, read } from "./run.ts";

test.each([
  ["a missing file", "nope.txt", "File not found: nope.txt", "FILE_NOT_FOUND", undefined],
  ["a missing directory", "no/nope.txt", "File not found: no/nope.txt", "FILE_NOT_FOUND", undefined],
  ["another case", "A.TXT", "File not found: A.TXT", "FILE_NOT_FOUND", "The nearest name there is 'a.txt'."],
  [
    "another quote in the name",
    "Bob's notes.txt",
    "File not found: Bob's notes.txt",
    "FILE_NOT_FOUND",
    "The nearest name there is 'Bob’s notes.txt' (with ’ U+2019, not ').",
  ],
  ["two names that it may mean", "Two 2.txt", "File not found: Two 2.txt", "FILE_NOT_FOUND", expect.any(String)],
  ["a file that is not in the home", "~/a.txt", `File not found: ${homedir()}/a.txt`, "FILE_NOT_FOUND", undefined],
  ["a URL of no file", "file:///a%20b.txt", "File not found: /a b.txt", "FILE_NOT_FOUND", undefined],
  ["an empty path", "", "file_path cannot be empty", "INVALID_ARG", undefined],
  [
    "a broken link",
    "dangling",
    "File not found: dangling",
    "FILE_NOT_FOUND",
    "It is a symbolic link to nowhere, which does not exist.",
  ],
  ["a link to itself", "loop", "Cannot open file: loop", "OPEN_FAILED", "Its symbolic links form a cycle."],
  ["a directory", "sub", "Cannot open file: sub", "OPEN_FAILED", "It is a directory, not a regular file."],
  [
    "a path below a file",
    "a.txt/b",
    "Cannot open file: a.txt/b",
    "OPEN_FAILED",
    "A part of the path is a file, not a directory.",
  ],
  ["a FIFO", "fifo", "Cannot seek file: fifo", "SEEK_FAILED", "It is a FIFO, not a regular file."],
  ["its own stdin", "/dev/stdin", "Cannot seek file: /dev/stdin", "SEEK_FAILED", expect.any(String)],
  [
    "a device that never ends",
    "/dev/zero",
    "Cannot get file size: /dev/zero",
    "SIZE_FAILED",
    "It is a device, not a regular file.",
  ],
  ["a terminal", "/dev/tty", "Cannot get file size: /dev/tty", "SIZE_FAILED", "It is a device, not a regular file."],
  [
    "memory that is not mapped",
    "/proc/self/mem",
    "Failed to read file: /proc/self/mem",
    "READ_FAILED",
    expect.any(String),
  ],
  ["NUL in the path", "a.txt\0b", "file_path contains a NUL character", "INVALID_ARG", undefined],
])("rejects %s at once", async (_, path, error, code, hint) => {
  const cwd = await tempDir({
    "a.txt": "a",
    "Bob’s notes.txt": "",
    "Two\u202f2.txt": "",
    "Two\u00a02.txt": "",
    "sub/": "",
    dangling: { link: "nowhere" },
    loop: { link: "loop" },
  });
  execFileSync("mkfifo", [`${cwd}/fifo`]);
  expect(await read({ file_path: path }, { cwd, timeoutMs: 5_000 })).toEqual(failure(error, code, hint));
});

test("rejects half of a surrogate pair in the path", async () => {
  expect(await call(bin, '{"file_path":"a\\ud83d"}')).toEqual(
    failure("file_path is not valid Unicode: it contains half of a surrogate pair", "INVALID_ARG"),
  );
});

test("rejects a socket", async () => {
  const cwd = await tempDir();
  const server = createServer().listen(`${cwd}/socket`);
  expect(await read({ file_path: "socket" }, { cwd })).toEqual(
    failure("Cannot seek file: socket", "SEEK_FAILED", "It is a socket, not a regular file."),
  );
  server.close();
});

test("accepts names of 255 bytes and rejects longer ones", async () => {
  const name = `${"é".repeat(127)}x`;
  const cwd = await tempDir({ [name]: "a" });
  expect((await read({ file_path: name }, { cwd })).result).toEqual({ output: "a", lines_read: 1 });
  expect(await read({ file_path: `${name}x` }, { cwd })).toEqual(
    failure(`Cannot open file: ${name}x`, "OPEN_FAILED", "The name is too long for the file system."),
  );
});

test.runIf(process.getuid?.() === 0)("rejects a file its user cannot read", async () => {
  const cwd = await tempDir({
    secret: { content: "a", mode: 0o600 },
    "as-nobody-tool": '#!/bin/sh\nexec setpriv --reuid=65534 --regid=65534 --clear-groups "$0-read" "$@"\n',
  });
  chmodSync(cwd, 0o755);
  copyFileSync(bin, `${cwd}/as-nobody-tool-read`);
  expect(await call(`${cwd}/as-nobody-tool`, { file_path: "secret" }, { cwd })).toEqual(
    failure("Permission denied: secret", "PERMISSION_DENIED"),
  );
});
