import { copyFileSync, lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "./refusal.ts";

/** More than any tool's sources are; beyond it somebody has named the wrong folder. */
const maxFiles = 20_000;
const maxTotalBytes = 512 * 1_048_576;

/** What is not part of a tool: its history, and what npm puts there. */
const leftOut = [".git", "node_modules"];

/**
 * Copies a folder: files, directories, and links as they are.
 *
 * @throws Refusal when it is too large, or holds something that is no file. The system's error when it cannot be read.
 */
export function copyTree(from: string, to: string, left = { files: maxFiles, bytes: maxTotalBytes }): void {
  for (const name of readdirSync(from)) {
    if (leftOut.includes(name)) continue;
    const [path, copy] = [join(from, name), join(to, name)];
    const stats = lstatSync(path);
    left.files -= 1;
    left.bytes -= stats.isFile() ? stats.size : 0;
    if (left.files < 0 || left.bytes < 0)
      throw new Refusal(
        `Expected a folder of at most ${maxFiles} files and ${maxTotalBytes} bytes, got more: is it the right one?`,
      );
    if (stats.isSymbolicLink()) symlinkSync(readlinkSync(path), copy);
    else if (stats.isFile()) copyFileSync(path, copy);
    else if (stats.isDirectory()) {
      mkdirSync(copy);
      copyTree(path, copy, left);
    } else throw new Refusal(`Expected files and folders, got something else: ${path}.`);
  }
}
