// Reads what a process prints: all of a short output with its ends, chunks as they arrive, and the progress reports on descriptor 3,
// no more of them than a screen can show.

import type { Readable } from "node:stream";
import type { MessagePort } from "node:worker_threads";
import { type JsonObject, maxHostLineBytes, type Progress, readProgressFields } from "@ikigai/protocol";
import { GrowingBytes, HeadAndTail, lineReader, readJsonObject } from "@ikigai/system";
import type { ToolProcess } from "./start-process.ts";

/** How much of each stream is kept, in bytes. */
interface PrintedLimits {
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
}

/** What a process has printed so far: a short stdout as a whole, and the ends of stderr. */
export interface PrintedOutput {
  readonly stdout: GrowingBytes;
  readonly stderr: HeadAndTail;
  /** Settles when stdout is longer than its limit. */
  readonly flooded: Promise<void>;
  /** Whether stdout is longer than its limit. */
  readonly isFlooded: boolean;
  /** Whether all of stdout has been read. */
  readonly isComplete: boolean;
}

/** Reads all output of a process from now on: a full pipe would block it. */
export function printedOutput(
  { stdout, stderr }: Pick<ToolProcess, "stdout" | "stderr">,
  { stdoutBytes, stderrBytes }: PrintedLimits,
): PrintedOutput {
  let bytes = 0;
  let isComplete = false;
  let reportFlood = () => {};
  const flooded = new Promise<void>((settle) => {
    reportFlood = settle;
  });
  const kept = new GrowingBytes();
  const ends = new HeadAndTail(stderrBytes);
  readChunks(stdout, (chunk) => {
    bytes += chunk.length;
    if (bytes > stdoutBytes) reportFlood();
    else kept.push(chunk);
  });
  readChunks(stderr, (chunk) => ends.add(chunk));
  stdout.once("end", () => {
    isComplete = true;
  });
  return {
    stdout: kept,
    stderr: ends,
    flooded,
    get isFlooded() {
      return bytes > stdoutBytes;
    },
    get isComplete() {
      return isComplete;
    },
  };
}

/** Up to this many bytes, freeing buffers one by one is not worth it: most calls print less. */
const modestBytes = 1_048_576;

let nowhere: MessagePort | undefined;

/**
 * Passes on a stream chunk by chunk, in little memory however long it is.
 *
 * Node reads every chunk into a new buffer of 64 KiB. V8 sees only small objects and does not free them before 30 MB have piled
 * up, so large outputs are freed at once (measured, 50 MiB: +2 MB instead of +33, no slower).
 *
 * @param take gets a chunk that is valid until it returns: copy what must be kept.
 */
export function readChunks(stream: Readable, take: (chunk: Buffer) => void): void {
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    take(chunk);
    if (bytes > modestBytes) free(chunk);
  });
}

/** Transferring a buffer detaches it, and a closed port drops it. */
function free({ buffer, length }: Buffer): void {
  // Part of a larger buffer, which has other users.
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== length) return;
  nowhere ??= closedPort();
  nowhere.postMessage(undefined, [buffer]);
}

function closedPort(): MessagePort {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}

/** Longer lines are not progress reports, in bytes. */
const maxLineBytes = 8_192;

/** At most this many reports per period (in milliseconds): more than anyone can read. */
const maxReports = 50;
const stretchMs = 250;

/** Takes the requests among the lines. */
interface RequestLines {
  /** @param line has a `method`. */
  take(line: JsonObject): void;
  /** A line was longer than `maxHostLineBytes`. */
  refuseLong(): void;
}

/** A line that may be a request has this text. */
const methodKey = Buffer.from('"method"');

/**
 * Passes on a tool's reports from descriptor 3, one JSON object per line, and its requests if it may make any. Drops invalid lines
 * and excess reports. Returns a function that drops an unfinished line.
 */
export function readProgress(
  stream: Readable,
  report: (progress: Progress) => void,
  requests?: RequestLines,
): () => void {
  const allow = limiter();
  const take = (whole: Buffer) => {
    if (requests && whole.includes(methodKey)) {
      const object = parseLine(whole);
      if (object && Object.hasOwn(object, "method")) return requests.take(object);
    }
    if (whole.length > maxLineBytes || !allow()) return;
    const fields = parseLine(whole);
    const progress = fields?.progress === undefined ? undefined : readProgressFields(fields);
    if (progress) report(progress);
  };
  const lines = lineReader(requests ? maxHostLineBytes : maxLineBytes, take, () => requests?.refuseLong());
  readChunks(stream, lines.add);
  return lines.drop;
}

/** Returns a function that says whether one more report fits into the current period. */
export function limiter(): () => boolean {
  let startedAtMs = performance.now();
  let reports = 0;
  return () => {
    if (performance.now() - startedAtMs > stretchMs) {
      startedAtMs = performance.now();
      reports = 0;
    }
    return ++reports <= maxReports;
  };
}

function parseLine(line: Buffer): JsonObject | undefined {
  const reading = readJsonObject(line);
  return reading.ok ? reading.value : undefined;
}
