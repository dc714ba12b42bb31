import { closeSync, constants, fsyncSync, ftruncateSync, openSync, writeSync } from "node:fs";

/**
 * Writes over the old content of a file, which keeps everything else: its owner, links, access control list and extended
 * attributes.
 *
 * @returns what that costs, for the model.
 * @throws the system's error; the file may then be half old, half new.
 */
export function writeInPlace(target: string, bytes: Uint8Array): string[] {
  const fd = openSync(target, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    ftruncateSync(fd, bytes.length);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  return [
    "Its access control list and extended attributes could not be copied, so it was written in place: a crash meanwhile would have left it half written.",
  ];
}
