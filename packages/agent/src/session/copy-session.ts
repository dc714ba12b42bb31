import { closeSync, openSync, writeSync } from "node:fs";
import { readLines } from "./read-lines.ts";
import type { SessionEvent } from "./session-event.ts";

/**
 * Copies a session's lines under a header of its own.
 *
 * @throws the system's error.
 */
export function copySession(from: string, to: string, header: Extract<SessionEvent, { type: "session" }>): void {
  const fd = openSync(to, "wx", 0o600);
  try {
    const first = JSON.stringify({ seq: 0, time: new Date().toISOString(), ...header });
    let lines = 0;
    for (const line of readLines(from)) writeAll(fd, `${lines++ === 0 ? first : line}\n`);
  } finally {
    closeSync(fd);
  }
}

function writeAll(fd: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
}
