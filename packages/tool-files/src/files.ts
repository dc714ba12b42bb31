// The files that a tool is asked about: their paths, what they are, and why one cannot be used.

import { type BigIntStats, closeSync, constants, fstatSync, openSync, readlinkSync, statSync } from "node:fs";
import { constants as system } from "node:os";
import { dirname, isAbsolute } from "node:path";
import type { ToolErrorCode } from "@ikigai/protocol";
import { isLink, LockError, pathAsMeant, readLink, shellWord, WriteConflict } from "@ikigai/system";
import { ToolFailure } from "@ikigai/tool-sdk";
import { describeNearest, encodeText } from "./text.ts";

/**
 * Returns the path that an argument means (`pathAsMeant`). Rejects paths that no file can have.
 *
 * @throws ToolFailure `INVALID_ARG` for an empty path, a NUL character or a lone surrogate.
 */
export function checkPath(name: string, path: string): string {
  encodeText(name, path);
  if (path === "") throw new ToolFailure("INVALID_ARG", `${name} cannot be empty`);
  if (path.includes("\0")) throw new ToolFailure("INVALID_ARG", `${name} contains a NUL character`);
  return pathAsMeant(path);
}

/** Linux's limit. */
const maxLinks = 40;

/**
 * Follows the links in the last part of a path: returns the file that opening it would open, or create if the link is broken.
 * `..` in a link's target is left to the system, which resolves it after the links before it.
 *
 * @throws the system's error (EACCES, …) if a link cannot be read; EILSEQ for a target that is not UTF-8.
 */
export function followLinks(path: string): string {
  let target = path;
  for (let links = 0; links < maxLinks && isLink(target); links++) {
    const next = readLink(target);
    target = isAbsolute(next) ? next : `${dirname(target)}/${next}`;
  }
  return target;
}

/** An open file, closed at the end of its `using` block. */
export interface RegularFile extends Disposable {
  readonly fd: number;
  /** Its stats when it was opened. */
  readonly stats: BigIntStats;
}

/**
 * Opens a file for reading, following symbolic links, or says in the words of a tool why not. Never blocks: FIFOs and devices are rejected before they are opened,
 * since opening one can block or have side effects. Files in /proc are regular, although their size is 0.
 *
 * @throws ToolFailure `OPEN_FAILED` for a directory, `SEEK_FAILED` for a FIFO or a socket, `SIZE_FAILED` for a device.
 * @throws the system's error if it cannot be opened.
 */
export function openForTool(path: string): RegularFile {
  checkRegularFile(path);
  // Non-blocking, in case the file has been replaced meanwhile.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  return { fd, stats: fstatSync(fd, { bigint: true }), [Symbol.dispose]: () => closeSync(fd) };
}

/**
 * Rejects an existing path that is not a regular file.
 *
 * @throws ToolFailure as `openForTool` does; the system's error if there is nothing at `path`.
 */
export function checkRegularFile(path: string): void {
  const stats = statSync(path);
  if (stats.isFile()) return;
  if (stats.isDirectory()) throw refusal("OPEN_FAILED", `Cannot open file: ${path}`, "directory");
  if (stats.isFIFO()) throw refusal("SEEK_FAILED", `Cannot seek file: ${path}`, "FIFO");
  if (stats.isSocket()) throw refusal("SEEK_FAILED", `Cannot seek file: ${path}`, "socket");
  throw refusal("SIZE_FAILED", `Cannot get file size: ${path}`, "device");
}

function refusal(code: "OPEN_FAILED" | "SEEK_FAILED" | "SIZE_FAILED", message: string, kind: string): ToolFailure {
  return new ToolFailure(code, message, { hint: `It is a ${kind}, not a regular file.` });
}

/** What ENOENT means: the file does not exist, or the directory to create it in. */
type Absence = "FILE_NOT_FOUND" | "OPEN_FAILED";

/**
 * Turns an error from working on `path` into a failure for the model:
 * a fixed sentence and code, and the system's reason as a hint.
 *
 * Codes: `FILE_NOT_FOUND` (ENOENT, unless `absence` says otherwise), `PERMISSION_DENIED` (EACCES, EPERM, EROFS), `NO_SPACE`
 * (ENOSPC, EDQUOT); otherwise `OPEN_FAILED`, `READ_FAILED` or `WRITE_FAILED`, depending on the operation. Returns anything but
 * a system error, a `LockError` or a `WriteConflict` unchanged.
 */
export function failureFromErrno(error: unknown, path: string, absence: Absence = "FILE_NOT_FOUND"): unknown {
  if (error instanceof WriteConflict || error instanceof LockError) return failure("WRITE_FAILED", path, error.message);
  const { syscall = "", errno = 0, message, dest, ...given } = error as NodeJS.ErrnoException & { dest?: string };
  if (given.code === undefined || errno >= 0) return error;
  // The lock is the first file created beside the target. Directories in /proc report ENOENT although they exist.
  const directory = syscall === "symlink" && dest !== undefined ? dirname(dest) : undefined;
  const code = given.code === "ENOENT" && directory && isThere(directory) ? "EACCES" : given.code;
  if (code === "ENOENT" && syscall !== "rename") return failure(absence, path, absenceHint(path, absence));
  // libuv has no name for EDQUOT.
  if (errno === -system.errno.EDQUOT) return failure("NO_SPACE", path, "The disk quota is exceeded.");
  if (code === "ENOSPC") return failure("NO_SPACE", path, undefined);
  if (code === "EACCES") return failure("PERMISSION_DENIED", path, directory && directoryHint(directory));
  const hint = code === "ENOTDIR" && path.endsWith("/") ? slashHint : hints[code];
  return failure(codes[code] ?? codeOfCall(syscall), path, hint ?? `The system says: ${message}`);
}

const codes: Readonly<Record<string, ToolErrorCode>> = {
  EPERM: "PERMISSION_DENIED",
  EROFS: "PERMISSION_DENIED",
  EISDIR: "OPEN_FAILED",
  ENOTDIR: "OPEN_FAILED",
};

const sentences: Readonly<Partial<Record<ToolErrorCode, string>>> = {
  FILE_NOT_FOUND: "File not found",
  PERMISSION_DENIED: "Permission denied",
  NO_SPACE: "No space left on device",
  OPEN_FAILED: "Cannot open file",
  READ_FAILED: "Failed to read file",
  WRITE_FAILED: "Failed to write file",
};

const hints: Readonly<Record<string, string>> = {
  EAGAIN: "There is nothing to read at the moment.",
  EBUSY: "It is in use, for instance as a mount point.",
  EISDIR: "It is a directory.",
  ELOOP: "Its symbolic links form a cycle.",
  ENAMETOOLONG: "The name is too long for the file system.",
  ENOTDIR: "A part of the path is a file, not a directory.",
  ENXIO: "It is a socket, a FIFO without a reader, or a device that does not exist.",
  EPERM: "The system forbids it; the file may be immutable.",
  EROFS: "The file system is read-only.",
};

const slashHint = "It ends with a slash, so it can only be a directory.";

function failure(code: ToolErrorCode, path: string, hint: string | undefined): ToolFailure {
  return new ToolFailure(code, `${sentences[code]}: ${path}`, hint === undefined ? {} : { hint });
}

function codeOfCall(syscall: string): ToolErrorCode {
  if (syscall === "read") return "READ_FAILED";
  return ["write", "fsync", "close", "fchmod", "fchown", "rename"].includes(syscall) ? "WRITE_FAILED" : "OPEN_FAILED";
}

/** A removed directory can still be reached by processes in it, but has no links. */
function isThere(directory: string): boolean {
  const nlink = statSync(directory, { throwIfNoEntry: false })?.nlink ?? 0;
  return nlink > 0;
}

function absenceHint(path: string, absence: Absence): string | undefined {
  try {
    return `It is a symbolic link to ${readlinkSync(path)}, which does not exist.`;
  } catch {
    if (absence === "FILE_NOT_FOUND") return describeNearest(path);
    return `The directory ${dirname(path)} does not exist. To create it: mkdir -p ${shellWord(dirname(path))}`;
  }
}

function directoryHint(directory: string): string {
  return `Files cannot be created in ${directory}, which replacing a file requires.`;
}
