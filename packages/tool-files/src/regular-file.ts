import { type BigIntStats, closeSync, constants, fstatSync, openSync, statSync } from "node:fs";
import { ToolFailure } from "@ikigai/tool-sdk";

/** An open file, closed at the end of its `using` block. */
export interface RegularFile extends Disposable {
  readonly fd: number;
  /** Its stats when it was opened. */
  readonly stats: BigIntStats;
}

/**
 * Opens a file for reading, following symbolic links. Never blocks: FIFOs and devices are rejected before they are opened,
 * since opening one can block or have side effects. Files in /proc are regular, although their size is 0.
 *
 * @throws ToolFailure `OPEN_FAILED` for a directory, `SEEK_FAILED` for a FIFO or a socket, `SIZE_FAILED` for a device.
 * @throws the system's error if it cannot be opened.
 */
export function openRegularFile(path: string): RegularFile {
  checkRegularFile(path);
  // Non-blocking, in case the file has been replaced meanwhile.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  return { fd, stats: fstatSync(fd, { bigint: true }), [Symbol.dispose]: () => closeSync(fd) };
}

/**
 * Rejects an existing path that is not a regular file.
 *
 * @throws ToolFailure as `openRegularFile` does; the system's error if there is nothing at `path`.
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
