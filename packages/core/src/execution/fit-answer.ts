import {
  cutJsonString,
  type JsonReading,
  JsonScanner,
  readJsonObject,
  type StringSpan,
  systemReason,
} from "@ikigai/system";
import type { OverflowFile } from "./overflow-file.ts";

/** The shortened answer with the number of bytes left out; or why it cannot be shortened. */
export type Fitted = (JsonReading & { readonly leftOutBytes: number }) | { readonly ok: false; readonly isJson: true };

/**
 * Shortens a long answer: cuts its longest strings, all to the same length, and notes in each how much was left out and where
 * the whole answer is. Everything else stays byte for byte; the result is still JSON.
 *
 * The whole answer is never in memory.
 */
export async function fitAnswer(file: OverflowFile, maxBytes: number): Promise<Fitted> {
  try {
    return await fit(file, maxBytes);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const isText = code !== "ERR_ENCODING_INVALID_ENCODED_DATA";
    const problem = isText
      ? `it cannot be read back from ${file.path}: ${systemReason(error as NodeJS.ErrnoException)}`
      : "it is not UTF-8";
    return { ok: false, problem, isJson: false, leftOutBytes: 0 };
  }
}

async function fit(file: OverflowFile, maxBytes: number): Promise<Fitted> {
  const noteBytes = noteFor(file.path, Number.MAX_SAFE_INTEGER).length;
  // Shorter strings would not pay for the note.
  const scanner = new JsonScanner(2 * noteBytes);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for await (const chunk of file.chunks()) {
    scanner.push(chunk);
    decoder.decode(chunk, { stream: true });
  }
  decoder.decode();
  scanner.finish();
  const { problem, strings, end } = scanner;
  if (problem) {
    return { ok: false, problem: `${problem.found} at byte ${problem.offset}`, isJson: false, leftOutBytes: 0 };
  }
  const keptBytes = longestThatFits(strings, end, noteBytes, maxBytes);
  if (keptBytes === undefined) return { ok: false, isJson: true };
  return cutStrings(file, scanner, keptBytes, noteBytes);
}

/** Returns the longest string length at which the answer fits; `undefined` if none does. */
function longestThatFits(
  strings: readonly StringSpan[],
  totalBytes: number,
  noteBytes: number,
  maxBytes: number,
): number | undefined {
  const bytesAt = (keptBytes: number) =>
    strings.reduce((sum, { start, end }) => sum - Math.max(0, end - start - keptBytes - noteBytes), totalBytes);
  let fits = -1;
  let tooLong = maxBytes + 1;
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (bytesAt(middle) <= maxBytes) fits = middle;
    else tooLong = middle;
  }
  return fits < 0 ? undefined : fits;
}

function cutStrings(file: OverflowFile, { strings, end }: JsonScanner, keptBytes: number, noteBytes: number): Fitted {
  const parts: Buffer[] = [];
  let leftOutBytes = 0;
  let copiedTo = 0;
  for (const span of strings) {
    const length = span.end - span.start;
    if (length <= keptBytes + noteBytes) continue;
    // Read a little more than is kept, to see where an escape ends.
    const kept = cutJsonString(file.read(span.start, span.start + keptBytes + 12), keptBytes);
    parts.push(file.read(copiedTo, span.start), kept, noteFor(file.path, length - kept.length));
    leftOutBytes += length - kept.length;
    copiedTo = span.end;
  }
  parts.push(file.read(copiedTo, end));
  return { ...readJsonObject(Buffer.concat(parts)), leftOutBytes };
}

/** The note at the end of a cut string, escaped as inside JSON quotes. */
function noteFor(path: string, bytes: number): Buffer {
  const note = `\n… ${bytes} bytes left out; the whole answer is in ${path}`;
  return Buffer.from(JSON.stringify(note).slice(1, -1));
}
