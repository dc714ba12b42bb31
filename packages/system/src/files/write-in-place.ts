import { closeSync, constants, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { writeAll } from "./write-all.ts";

/**
 * Overwrites a file's content, which keeps everything else: owner, links, access control list and extended attributes.
 *
 * @returns a warning for the model.
 * @throws the system's error; the file may then be partly written.
 */
export function writeInPlace(target: string, bytes: Uint8Array): string[] {
  const fd = openSync(target, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    writeAll(fd, bytes);
    ftruncateSync(fd, bytes.length);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return [
    "Its access control list and extended attributes could not be copied, so it was written in place: a crash would have left it partly written.",
  ];
}
