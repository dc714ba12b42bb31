import { type BigIntStats, closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { ToolFailure } from "@ikigai/tool-sdk";

/** An open file, closed at the end of its `using` block. */
export interface RegularFile extends Disposable {
  readonly fd: number;
  /** What it was like when it was opened. */
  readonly stats: BigIntStats;
}

/**
 * Opens a file for reading, following symbolic links. Never waits: a FIFO or a device is refused before it is opened, since
 * opening alone can block or do something. Files of /proc are regular, although their size is 0.
 *
 * @throws ToolFailure `OPEN_FAILED` for a directory, `SEEK_FAILED` for a FIFO or a socket, `SIZE_FAILED` for a device.
 * @throws the system's error when it cannot be opened.
 */
export function openRegularFile(path: string): RegularFile {
  checkRegularFile(path);
  // Without blocking, should something else have taken the file's place by now.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  return { fd, stats: fstatSync(fd, { bigint: true }), [Symbol.dispose]: () => closeSync(fd) };
}

/**
 * Refuses what is there and is no regular file.
 *
 * @throws as `openRegularFile` does.
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
