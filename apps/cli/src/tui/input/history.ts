import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

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
    return readFileSync(pathIn(home), "utf8").split("\n").flatMap(parse);
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
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    if (statSync(path).size > maxBytes) halve(path);
  } catch {
    // A full disk or a directory that cannot be written is told of elsewhere.
  }
}

function halve(path: string): void {
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${lines.slice(Math.floor(lines.length / 2)).join("\n")}\n`, { mode: 0o600 });
  renameSync(temporary, path);
}
