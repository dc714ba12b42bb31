import { closeSync, readSync } from "node:fs";
import { openRegularFile } from "@ikigai/system";
import { AgentError } from "../model/agent-error.ts";

const chunkBytes = 1_048_576;
const newline = 0x0a;

/** Longer lines are not ikigai's, in bytes. */
const maxLineBytes = 64 * 1_048_576;

/**
 * Yields the whole lines of a file one by one, holding only the longest in memory. Text after the last newline is not a
 * line: `torn` is called if there is any.
 *
 * @throws the system's error; AgentError `session_unreadable` if it is not a regular file.
 */
export function* readLines(path: string, torn: () => void = () => {}): Generator<string> {
  const fd = openRegularFile(path);
  if (fd === undefined) throw new AgentError("session_unreadable", `${path} is not a regular file.`);
  try {
    let rest: Buffer[] = [];
    let restBytes = 0;
    for (;;) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const bytes = readSync(fd, chunk);
      if (bytes === 0) break;
      const data = chunk.subarray(0, bytes);
      let start = 0;
      for (let end = data.indexOf(newline); end >= 0; end = data.indexOf(newline, start)) {
        const piece = data.subarray(start, end);
        yield rest.length > 0 ? Buffer.concat([...rest, piece]).toString("utf8") : piece.toString("utf8");
        rest = [];
        restBytes = 0;
        start = end + 1;
      }
      if (start < bytes && restBytes < maxLineBytes) rest.push(data.subarray(start));
      restBytes += bytes - start;
    }
    if (restBytes > 0) torn();
  } finally {
    closeSync(fd);
  }
}
