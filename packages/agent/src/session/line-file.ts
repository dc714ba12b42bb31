import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { writeAll } from "@ikigai/system";

/** How much unwritten data is kept to try again, in bytes. */
const maxPendingBytes = 4 * 1_048_576;

/** A file that lines are appended to. */
export interface LineFile {
  /** How many lines were discarded because too much was pending, and are not yet reported in the file. */
  readonly lostLines: number;
  /** The lines that are not in the file yet. */
  readonly pending: readonly string[];
  /**
   * Writes a line, after any pending ones.
   *
   * @throws the system's error; the file then ends with the last whole line, and the line stays pending.
   */
  append(line: string): void;
  /** Writes the pending lines. @throws the system's error; the lines stay pending. */
  retry(): void;
  close(): void;
}

/**
 * Opens a file to append lines, and removes an incomplete last line.
 *
 * @param lostLine returns the line that replaces discarded lines.
 * @throws the system's error.
 */
export function openLineFile(path: string, lostLine: (lines: number) => string): LineFile {
  const fd = openSync(path, "a+", 0o600);
  let isOpen = true;
  let length = endOfLastLine(fd);
  if (length < fstatSync(fd).size) ftruncateSync(fd, length);
  let pending: Buffer[] = [];
  let torn = false;
  let lostLines = 0;

  /** Writes the pending lines, from the first that is not in the file yet. */
  const writePending = () => {
    if (torn) ftruncateSync(fd, length);
    for (let [line] = pending; line; [line] = pending) {
      torn = true;
      writeAll(fd, line);
      torn = false;
      length += line.length;
      pending.shift();
      lostLines = 0;
    }
  };

  const giveUpTooMuch = () => {
    if (pending.reduce((sum, { length: bytes }) => sum + bytes, 0) <= maxPendingBytes) return;
    // The line that reports discarded lines is not one of them.
    lostLines += lostLines > 0 ? pending.length - 1 : pending.length;
    pending = [Buffer.from(`${lostLine(lostLines)}\n`)];
  };

  return {
    get lostLines() {
      return lostLines;
    },
    get pending() {
      return pending.map((line) => line.toString("utf8").trimEnd());
    },
    append(line) {
      if (!isOpen) return;
      pending.push(Buffer.from(`${line}\n`));
      try {
        writePending();
      } catch (error) {
        giveUpTooMuch();
        throw error;
      }
    },
    retry() {
      if (isOpen) writePending();
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      try {
        if (pending.length > 0) writePending();
      } catch {
        // There is still no room, and no time left.
      }
      closeSync(fd);
    },
  };
}

const newline = 0x0a;
const chunkBytes = 65_536;

/** Returns where the last whole line ends, searching backwards, so that the file's size does not matter. */
function endOfLastLine(fd: number): number {
  const chunk = Buffer.alloc(chunkBytes);
  for (let end = fstatSync(fd).size; end > 0; ) {
    const start = Math.max(0, end - chunkBytes);
    const bytes = readSync(fd, chunk, 0, end - start, start);
    const at = chunk.subarray(0, bytes).lastIndexOf(newline);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}
