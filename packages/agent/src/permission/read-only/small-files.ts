import { readFileSync, type Stats, statSync } from "node:fs";

/** Maximum size of a configuration to read before a call, in bytes. */
export const maxConfigBytes = 256 * 1024;

/** What a path leads to; `undefined` for nothing, or if that is unknown. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A file's content; `undefined` if it is no regular file, too large or cannot be read. */
export function readBytes(path: string, maxBytes: number): Buffer | undefined {
  const stat = statOf(path);
  if (!stat?.isFile() || stat.size > maxBytes) return undefined;
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
