import { closeSync, openSync, readSync } from "node:fs";

/** Enough for a line or two, in bytes. */
const start = Buffer.allocUnsafe(128);

const opened = new Map<string, number>();

/**
 * Reads the first 128 bytes of a file in `/proc`; `undefined` if that fails. The file stays open: reading it again costs 10 µs,
 * opening it four times as much. Also works when no more files can be opened.
 */
export function readOften(path: string): string | undefined {
  try {
    const fd = opened.get(path) ?? openSync(path, "r");
    opened.set(path, fd);
    return start.toString("latin1", 0, readSync(fd, start, 0, start.length, 0));
  } catch {
    close(path);
    return undefined;
  }
}

function close(path: string): void {
  const fd = opened.get(path);
  opened.delete(path);
  if (fd !== undefined) closeSync(fd);
}
