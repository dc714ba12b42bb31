// What a tool prints on stdout: kept in memory while it is short, in a file when it is long, and shortened for the model by cutting
// its longest strings.

import { closeSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { maxFailureStreamBytes, maxOverflowBytes } from "@ikigai/protocol";
import {
  cutJsonString,
  GrowingBytes,
  HeadAndTail,
  type JsonReading,
  JsonScanner,
  makePrivateDirectory,
  privateFileMode,
  readJsonObject,
  type StringSpan,
  systemReason,
  temporaryPath,
  writeAll,
} from "@ikigai/system";

/** Options of an `OutputCollector`. */
interface CollectOptions {
  /** How much is kept in memory, in bytes; longer output goes to a file. */
  readonly maxBytes: number;
  readonly overflowDir?: string | undefined;
  readonly callId: string;
}

/**
 * Collects a tool's stdout: a short answer in memory, a long one in a file, up to the protocol's maximum. Keeps reading after
 * that, since a tool that cannot write does not exit.
 */
export class OutputCollector {
  /** Settles when the output exceeds the protocol's maximum. */
  readonly flooded: Promise<void>;
  /** Head and tail of the output, for error messages. */
  readonly ends = new HeadAndTail(maxFailureStreamBytes);
  totalBytes = 0;
  /** Set when the answer exceeded `maxBytes` and could be saved. */
  overflow: OverflowFile | undefined;
  /** Why it could not be saved: the end of a sentence. */
  overflowProblem: string | undefined;

  readonly #options: CollectOptions;
  #kept = new GrowingBytes();
  #reading: JsonReading | undefined;
  #reportFlood: () => void = () => {};

  constructor(options: CollectOptions) {
    this.#options = options;
    this.flooded = new Promise((settle) => {
      this.#reportFlood = settle;
    });
  }

  get isFlooded(): boolean {
    return this.totalBytes > maxOverflowBytes;
  }

  /** The parsed answer, if it fits into `maxBytes`. */
  get answer(): JsonReading | undefined {
    if (this.totalBytes <= this.#options.maxBytes) this.#reading ??= readJsonObject(this.#kept.bytes);
    return this.#reading;
  }

  /** All of it as text; of more than `maxBytes` the head and the tail, and between them how much is left out and where it is. */
  text(): string {
    const { overflow, totalBytes } = this;
    if (totalBytes <= this.#options.maxBytes) return this.#kept.bytes.toString("utf8");
    if (overflow === undefined || this.overflowProblem !== undefined) return this.ends.toText();
    const half = Math.floor(this.#options.maxBytes / 2);
    const between = `\n… ${totalBytes - 2 * half} bytes left out; the whole output is in ${overflow.path}\n`;
    const [head, tail] = [overflow.read(0, half), overflow.read(totalBytes - half, totalBytes)];
    return head.toString("utf8") + between + tail.toString("utf8");
  }

  /** Adds what comes next. @param chunk valid until this returns. */
  add(chunk: Buffer): void {
    this.totalBytes += chunk.length;
    this.#reading = undefined;
    this.ends.add(chunk);
    if (this.isFlooded) this.#reportFlood();
    else if (this.overflowProblem === undefined) this.#keep(chunk);
  }

  #keep(chunk: Buffer): void {
    if (this.totalBytes > this.#options.maxBytes) this.#spill(chunk);
    else this.#kept.push(chunk);
  }

  #spill(chunk: Buffer): void {
    try {
      this.overflow ??= new OverflowFile(this.#options.overflowDir, this.#options.callId);
      this.overflow.append(this.#kept.bytes);
      this.overflow.append(chunk);
    } catch (error) {
      this.overflowProblem = systemReason(error as NodeJS.ErrnoException);
    }
    this.#kept = new GrowingBytes();
  }
}

/** Bytes of the file in memory at a time. */
const chunkBytes = 262_144;

/** A file for an answer too long for memory, readable only by the user. */
export class OverflowFile {
  readonly path: string;
  readonly #fd: number;

  /**
   * @param directory is created if missing. Default: a new directory in the system's temporary directory.
   * @throws the system's error if the file cannot be created.
   */
  constructor(directory: string | undefined, callId: string) {
    const place = directory ?? mkdtempSync(temporaryPath("output-"));
    makePrivateDirectory(place);
    // The call id comes from a model's server: only safe characters of it reach the file system.
    const name = callId.replaceAll(/[^A-Za-z0-9_-]/g, "").slice(0, 64);
    this.path = join(place, `output-${name}-${process.pid}-${Math.trunc(performance.now() * 1_000)}.json`);
    this.#fd = openSync(this.path, "wx+", privateFileMode);
  }

  /** @throws the system's error, typically ENOSPC. */
  append(chunk: Buffer): void {
    writeAll(this.#fd, chunk);
  }

  /** Yields the content in chunks; the event loop runs between them. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (let position = 0; ; ) {
      const chunk = this.read(position, position + chunkBytes);
      if (chunk.length === 0) return;
      yield chunk;
      position += chunk.length;
      await nextTurn();
    }
  }

  read(start: number, end: number): Buffer {
    const bytes = Buffer.allocUnsafe(end - start);
    let length = 0;
    for (let got = -1; got !== 0 && length < bytes.length; length += got) {
      got = readSync(this.#fd, bytes, length, bytes.length - length, start + length);
    }
    return bytes.subarray(0, length);
  }

  close(): void {
    closeSync(this.#fd);
  }

  remove(): void {
    rmSync(this.path, { force: true });
  }
}

/** The shortened answer with the number of bytes left out; or why it cannot be shortened. */
type Fitted = (JsonReading & { readonly leftOutBytes: number }) | { readonly ok: false; readonly isJson: true };

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
