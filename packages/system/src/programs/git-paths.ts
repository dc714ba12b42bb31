import { isAbsolute, resolve } from "node:path";
import { isExact, readRealPath } from "../files/exact-names.ts";
import { readRegularFile } from "../files/read-regular-file.ts";
import { withoutEnd } from "../text/without-end.ts";

/**
 * Reads a path that a file of git names, `commondir` for instance, as git does: up to the last line break.
 *
 * @param text what is in the file
 * @throws the system's error; Error, a sentence for people, if git would read another path: one that is not UTF-8, or contains NUL.
 */
export function readGitPath(file: string, text = readRegularFile(file).toString("utf8")): string {
  if (!isExact(text)) throw new Error(`${file} names a path that is not UTF-8`);
  if (text.includes("\0")) throw new Error(`${file} names a path with a NUL`);
  return withoutEnd(text, "\r\n");
}

/** Reads the path in a file `.git`; `undefined` if the file names none. @throws as `readGitPath` does. */
export function readGitLink(file: string, text?: string): string | undefined {
  const line = readGitPath(file, text);
  return line.startsWith("gitdir: ") ? line.slice("gitdir: ".length) : undefined;
}

/**
 * The path that a file of git names, relative to a directory.
 *
 * @throws Error, a sentence for people, if `..` in it comes after a symbolic link: git would go on from the link's target.
 */
export function resolveGitPath(directory: string, named: string): string {
  const path = resolve(directory, named);
  const parts = isAbsolute(named) ? named : `${directory}/${named}`;
  if (/(?:^|\/)\.\.(?:\/|$)/.test(named) && realPath(parts) !== realPath(path))
    throw new Error(`${parts} leads through a symbolic link`);
  return path;
}

function realPath(path: string): string | undefined {
  try {
    return readRealPath(path);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw error;
  }
}
