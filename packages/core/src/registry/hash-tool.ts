import { hashFile } from "./hash-file.ts";
import { stampAt } from "./stamps.ts";

/** Largest file that is hashed, in bytes. */
const maxBytes = 1_073_741_824;

const known = new Map<string, { readonly stamp: string; readonly sha256: Promise<string | undefined> }>();

/**
 * Returns the SHA-256 of a tool's current file, in hexadecimal; `undefined` if it cannot be read or is larger than 1 GiB. The
 * hash is cached until the file changes: asking again costs a `stat`.
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
    // An executable need not be readable.
    return undefined;
  }
}
