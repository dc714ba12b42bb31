import { existsSync } from "node:fs";
import { findUndone } from "./find-undone.ts";
import { parseLine } from "./parse-line.ts";
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
  let index = 0;
  for (const line of readLines(path)) {
    const event = isUndone(index++) ? undefined : parseLine(line);
    if (event) yield event;
  }
}
