import { readFileSync } from "node:fs";
import { statsOf } from "@ikigai/system";

/** Maximum size of a configuration to read before a call, in bytes. */
export const maxConfigBytes = 256 * 1024;

/** A file's content; `undefined` if it is no regular file, too large or cannot be read. */
export function readBytes(path: string, maxBytes: number): Buffer | undefined {
  const stat = statsOf(path);
  if (!stat?.isFile() || stat.size > maxBytes) return undefined;
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
