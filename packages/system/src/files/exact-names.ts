import { type Dirent, readdirSync, readlinkSync, realpathSync } from "node:fs";

/**
 * Whether a text from the file system names what it was read from. Bytes that are not UTF-8 become U+FFFD, and the text then names
 * another file, or none.
 */
export function isExact(text: string): boolean {
  return !text.includes("\ufffd");
}

/**
 * The names in a directory.
 *
 * @throws the system's error; EILSEQ if a name is not UTF-8, or contains U+FFFD.
 */
export function readNames(directory: string): string[] {
  return readdirSync(directory).map((name) => exact(name, directory));
}

/** Like `readNames`, with the kind of each file. */
export function readEntries(directory: string): Dirent[] {
  const entries = readdirSync(directory, { withFileTypes: true });
  for (const { name } of entries) exact(name, directory);
  return entries;
}

/**
 * The target of a symbolic link.
 *
 * @throws the system's error; EILSEQ if the target is not UTF-8, or contains U+FFFD.
 */
export function readLink(path: string): string {
  return exact(readlinkSync(path), path);
}

/**
 * The path without symbolic links.
 *
 * @throws the system's error; EILSEQ if the path is not UTF-8, or contains U+FFFD.
 */
export function readRealPath(path: string): string {
  return exact(realpathSync.native(path), path);
}

function exact(text: string, path: string): string {
  if (isExact(text)) return text;
  throw Object.assign(new Error(`${path} has a name that is not UTF-8: ${text}`), { code: "EILSEQ", path });
}
