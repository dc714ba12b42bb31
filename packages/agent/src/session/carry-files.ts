import { constants, copyFileSync, linkSync, lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { makePrivateDirectory } from "@ikigai/system";
import { isKeptFile, outputsDirOf } from "./beside-log.ts";
import { parseLine } from "./parse-line.ts";
import type { SessionLine } from "./session-event.ts";

/**
 * Gives a copy of a session its own files: images, old file contents, results moved out of the conversation. Returns a
 * function that rewrites a line to name them, so that the copy outlives the original. Files that are not the session's own, or
 * that cannot be copied, keep their name.
 */
export function carryFiles(from: string, to: string): (line: string) => string {
  const ownDir = (suffix: string) => {
    const directory = to.replace(/\.jsonl$/, suffix);
    makePrivateDirectory(directory);
    return directory;
  };
  const outputs = outputsDirOf(from);
  const carryFile = (path: string) =>
    attempt(path, () => (isKeptFile(from, path) ? carry(path, ownDir(".files"), linkSync) : path));
  const carryOutputs = (directory: string) =>
    attempt(directory, () => {
      if (directory !== outputs || !lstatSync(directory).isDirectory()) return directory;
      // The original may write another result under the same name.
      for (const name of readdirSync(directory)) carry(join(directory, name), ownDir(".outputs"), copy);
      return ownDir(".outputs");
    });

  return (line) => {
    if (!/\.(files|outputs)\b/.test(line)) return line;
    const event = parseLine(line);
    return event ? JSON.stringify(renamed(event, carryFile, carryOutputs)) : line;
  };
}

function renamed(
  event: SessionLine,
  carryFile: (path: string) => string,
  carryOutputs: (directory: string) => string,
): SessionLine {
  if ((event.type === "user" || event.type === "tool_result") && event.images) {
    return { ...event, images: event.images.map((image) => ({ ...image, path: carryFile(image.path) })) };
  }
  if (event.type === "checkpoint" && event.kept !== null) return { ...event, kept: carryFile(event.kept) };
  if (event.type === "compact" && event.directory !== undefined) {
    return { ...event, directory: carryOutputs(event.directory) };
  }
  return event;
}

/** Only regular files: a session from elsewhere may name anything. */
function carry(path: string, directory: string, take: (from: string, to: string) => void): string {
  const own = join(directory, basename(path));
  if (!lstatSync(path).isFile()) return path;
  if (lstatSync(own, { throwIfNoEntry: false })) return own;
  try {
    take(path, own);
  } catch {
    // Not every file system has hard links.
    copy(path, own);
  }
  return own;
}

function copy(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
}

function attempt(old: string, work: () => string): string {
  try {
    return work();
  } catch {
    // Missing, or the disk is full: the copy is useful without it.
    return old;
  }
}
