import { closeSync, readSync } from "node:fs";
import { openRegularFile } from "@ikigai/system";
import { AgentError } from "../model/agent-error.ts";

const chunkBytes = 1_048_576;
const newline = 0x0a;

/** A line longer than this is not one of ours, in bytes. */
const maxLineBytes = 64 * 1_048_576;

/**
 * The whole lines of a file, one after the other, without holding more of it than the longest. What follows the last
 * newline is not a line: `torn` is called if there is something.
 *
 * @throws the system's error, and AgentError `session_unreadable` when it is no regular file.
 */
export function* readLines(path: string, torn: () => void = () => {}): Generator<string> {
  const fd = openRegularFile(path);
  if (fd === undefined) throw new AgentError("session_unreadable", `${path} is not a regular file`);
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
