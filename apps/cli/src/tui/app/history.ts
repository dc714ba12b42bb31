// The texts that the user has typed in all projects, in a file of the user's directory.

import { appendFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory, readRegularFile, writePrivateFile } from "@ikigai/system";

/** A typed text, and the directory it was typed in. */
export interface HistoryEntry {
  readonly cwd: string;
  readonly text: string;
}

/** Size limit in bytes; beyond it, the older half is dropped. */
const maxBytes = 2_097_152;

/** Longest text to keep, in characters; a longer one was pasted. */
const maxTextLength = 20_000;

const pathIn = (home: string) => join(home, "history.jsonl");

/** The texts typed in all projects, the latest last. */
export function readHistory(home: string): HistoryEntry[] {
  try {
    return readRegularFile(pathIn(home)).toString().split("\n").flatMap(parse);
  } catch {
    return [];
  }
}

function parse(line: string): HistoryEntry[] {
  try {
    const { cwd, text } = JSON.parse(line) as Partial<HistoryEntry>;
    return typeof text === "string" && typeof cwd === "string" ? [{ cwd, text }] : [];
  } catch {
    return [];
  }
}

/** Appends a typed text to the history. Errors are ignored: nothing else depends on it. */
export function remember(home: string, entry: HistoryEntry): void {
  if (entry.text.length > maxTextLength) return;
  const path = pathIn(home);
  try {
    makePrivateDirectory(home);
    // Opening a FIFO would block.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) return;
    appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    if (statSync(path).size > maxBytes) halve(path);
  } catch {
    // A full disk or a read-only directory is reported elsewhere.
  }
}

function halve(path: string): void {
  const lines = readRegularFile(path).toString().trimEnd().split("\n");
  writePrivateFile(path, `${lines.slice(Math.floor(lines.length / 2)).join("\n")}\n`);
}
