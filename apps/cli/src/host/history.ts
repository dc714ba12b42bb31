import { appendFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory, readRegularFile, writePrivateFile } from "@ikigai/system";

/** Something that was typed, and where. */
export interface HistoryEntry {
  readonly cwd: string;
  readonly text: string;
}

/** When the file is larger, in bytes, the older half of it goes. */
const maxBytes = 2_097_152;

/** A longer text is not kept, in characters: nobody typed it. */
const maxTextLength = 20_000;

const pathIn = (home: string) => join(home, "history.jsonl");

/** What was typed in all projects, the latest last. */
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

/** Keeps what was typed. Where that cannot be, it is forgotten: nothing else depends on it. */
export function remember(home: string, entry: HistoryEntry): void {
  if (entry.text.length > maxTextLength) return;
  const path = pathIn(home);
  try {
    makePrivateDirectory(home);
    // A FIFO would be waited for.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) return;
    appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    if (statSync(path).size > maxBytes) halve(path);
  } catch {
    // A full disk or a directory that cannot be written is told of elsewhere.
  }
}

function halve(path: string): void {
  const lines = readRegularFile(path).toString().trimEnd().split("\n");
  writePrivateFile(path, `${lines.slice(Math.floor(lines.length / 2)).join("\n")}\n`);
}
