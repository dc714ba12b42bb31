import { constants } from "node:os";
import { getSystemErrorName } from "node:util";
import { LockError, WriteConflict } from "@ikigai/system";
import { tempDir } from "@ikigai/testing";
import { ToolFailure } from "@ikigai/tool-sdk";
import { expect, test } from "vitest";
import { failureFromErrno } from "../src/files.ts";

/** An error as Node creates it for a failed system call. */
function systemError(name: keyof typeof constants.errno, syscall: string): Error {
  const errno = -constants.errno[name];
  const known = name === "EDQUOT" ? `Unknown system error ${errno}` : getSystemErrorName(errno);
  return Object.assign(new Error(`${known}: words, ${syscall} 'p'`), { code: known, errno, syscall });
}

test.each([
  ["ENOENT", "open", "FILE_NOT_FOUND", "File not found: p"],
  ["EACCES", "open", "PERMISSION_DENIED", "Permission denied: p"],
  ["EPERM", "rename", "PERMISSION_DENIED", "Permission denied: p"],
  ["EROFS", "access", "PERMISSION_DENIED", "Permission denied: p"],
  ["ENOSPC", "write", "NO_SPACE", "No space left on device: p"],
  ["EDQUOT", "close", "NO_SPACE", "No space left on device: p"],
  ["EISDIR", "read", "OPEN_FAILED", "Cannot open file: p"],
  ["EMFILE", "open", "OPEN_FAILED", "Cannot open file: p"],
  ["ELOOP", "stat", "OPEN_FAILED", "Cannot open file: p"],
  ["EIO", "read", "READ_FAILED", "Failed to read file: p"],
  ["EIO", "fsync", "WRITE_FAILED", "Failed to write file: p"],
  ["EFBIG", "write", "WRITE_FAILED", "Failed to write file: p"],
  ["EPIPE", "write", "WRITE_FAILED", "Failed to write file: p"],
  ["ENOENT", "rename", "WRITE_FAILED", "Failed to write file: p"],
] as const)("%s of %s is %s", (name, syscall, code, message) => {
  expect(failureFromErrno(systemError(name, syscall), "p")).toMatchObject({ code, message });
});

test("explains a missing file to a tool that creates files", async () => {
  const dir = await tempDir({ link: { link: "nowhere" } });
  expect(failureFromErrno(systemError("ENOENT", "open"), "no/p", "OPEN_FAILED")).toMatchObject({
    code: "OPEN_FAILED",
    message: "Cannot open file: no/p",
    details: { hint: "The directory no does not exist. To create it: mkdir -p no" },
  });
  expect(failureFromErrno(systemError("ENOENT", "open"), `${dir}/link`)).toMatchObject({
    details: { hint: "It is a symbolic link to nowhere, which does not exist." },
  });
});

test.each([new WriteConflict("Someone."), new LockError("held", "p.lock", "Someone.")])(
  "reports the conflict: %o",
  (error) => {
    expect(failureFromErrno(error, "p")).toMatchObject({
      code: "WRITE_FAILED",
      message: "Failed to write file: p",
      details: { hint: "Someone." },
    });
  },
);

test.each([
  ["a bug", new TypeError("x is not a function")],
  ["Node's own errors", Object.assign(new TypeError("bad"), { code: "ERR_INVALID_ARG_TYPE" })],
  ["a failure that is one already", new ToolFailure("INVALID_ARG", "no")],
  ["what is not an error", "text"],
])("returns %s unchanged", (_, error) => {
  expect(failureFromErrno(error, "p")).toBe(error);
});
