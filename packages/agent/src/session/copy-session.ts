import { closeSync, openSync } from "node:fs";
import { writeAll } from "@ikigai/system";
import { carryFiles } from "./carry-files.ts";
import { findUndone } from "./find-undone.ts";
import { readLines } from "./read-lines.ts";
import type { SessionEvent } from "./session-event.ts";

const seqPattern = /^\{"seq":(\d+)/;

/**
 * Copies a session's lines, without rewound ones, and the files they name under a new header; with `before`, only the lines
 * before the one with that `seq`. Returns the number of lines.
 *
 * @throws the system's error.
 */
export function copySession(
  from: string,
  to: string,
  header: Extract<SessionEvent, { type: "session" }>,
  before = Number.POSITIVE_INFINITY,
): number {
  const isUndone = findUndone(readLines(from));
  const carried = carryFiles(from, to);
  const fd = openSync(to, "wx", 0o600);
  try {
    let lines = 0;
    writeAll(fd, `${JSON.stringify({ seq: lines++, time: new Date().toISOString(), ...header })}\n`);
    let index = 0;
    for (const line of readLines(from)) {
      const seq = Number(seqPattern.exec(line)?.[1] ?? Number.NaN);
      const isHeader = index === 0;
      if (!isUndone(index++) && !isHeader && seq < before)
        writeAll(fd, `${carried(line).replace(seqPattern, `{"seq":${lines++}`)}\n`);
    }
    return lines;
  } finally {
    closeSync(fd);
  }
}
