import { existsSync } from "node:fs";
import { findUndone } from "./find-undone.ts";
import { readLines } from "./read-lines.ts";
import type { SessionLine } from "./session-event.ts";

/**
 * The lines of a session that count: those that can be read and have not been taken back. Without a file nothing has been
 * said yet.
 *
 * @throws the system's error when there is a file that cannot be read.
 */
export function* readKeptLines(path: string): Generator<SessionLine> {
  if (!existsSync(path)) return;
  const isUndone = findUndone(path);
  for (const line of readLines(path)) {
    const event = parse(line);
    if (event && !isUndone(event.seq)) yield event;
  }
}

function parse(line: string): SessionLine | undefined {
  try {
    const value = JSON.parse(line) as SessionLine | null;
    return typeof value?.type === "string" && Number.isSafeInteger(value.seq) ? value : undefined;
  } catch {
    return undefined;
  }
}
