import { hashFile } from "./hash-file.ts";
import { stampAt } from "./stamps.ts";

/** No program is longer, in bytes; what is has no hash. */
const maxBytes = 1_073_741_824;

const known = new Map<string, { readonly stamp: string; readonly sha256: Promise<string | undefined> }>();

/**
 * The SHA-256 of the file that a tool is now, in hexadecimal; `undefined` when it cannot be read. A file is read once for as
 * long as it stays the same: asking again costs a `stat`.
 */
export function hashTool(path: string): Promise<string | undefined> {
  const stamp = stampAt(path);
  const last = known.get(path);
  if (last?.stamp === stamp) return last.sha256;
  const sha256 = hash(path);
  known.set(path, { stamp, sha256 });
  return sha256;
}

async function hash(path: string): Promise<string | undefined> {
  try {
    const file = await hashFile(path, maxBytes);
    return file && file.bytes <= maxBytes ? file.sha256 : undefined;
  } catch {
    // A program that may be run need not be readable.
    return undefined;
  }
}
