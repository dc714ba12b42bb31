import { existsSync } from "node:fs";
import { findUndone } from "./find-undone.ts";
import { parseLine } from "./parse-line.ts";
import { readLines } from "./read-lines.ts";
import type { SessionLine } from "./session-event.ts";
import type { SessionLog } from "./session-log.ts";

/**
 * Yields the valid lines of a session: readable and not rewound, and also those that could not be written to the file yet.
 *
 * @throws the system's error if the file exists but cannot be read.
 */
export function* readKeptLines(log: Pick<SessionLog, "path" | "unwritten">): Generator<SessionLine> {
  const isUndone = findUndone(allLines(log));
  let index = 0;
  for (const line of allLines(log)) {
    const event = isUndone(index++) ? undefined : parseLine(line);
    if (event) yield event;
  }
}

/** Yields the valid lines of a session, rewound ones too. @throws as `readKeptLines` does. */
export function* readAllLines(log: Pick<SessionLog, "path" | "unwritten">): Generator<SessionLine> {
  for (const line of allLines(log)) {
    const event = parseLine(line);
    if (event) yield event;
  }
}

function* allLines({ path, unwritten }: Pick<SessionLog, "path" | "unwritten">): Generator<string> {
  if (path !== undefined && existsSync(path)) yield* readLines(path);
  yield* unwritten;
}
