import { readFileSync, statSync } from "node:fs";

/**
 * Reads a file that somebody else may have put there. A FIFO of that name would be waited for, for ever.
 *
 * @throws the system's error; Error when it is no regular file.
 */
export function readRegularFile(path: string): Buffer {
  if (!statSync(path).isFile()) throw new Error(`${path} is no regular file.`);
  return readFileSync(path);
}
