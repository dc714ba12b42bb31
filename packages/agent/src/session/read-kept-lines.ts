import { existsSync } from "node:fs";
import { findUndone } from "./find-undone.ts";
import { parseLine } from "./parse-line.ts";
import { readLines } from "./read-lines.ts";
import type { SessionLine } from "./session-event.ts";

/**
 * Yields the valid lines of a session: readable and not rewound. None if there is no file yet.
 *
 * @throws the system's error if the file exists but cannot be read.
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
