import type { Readable } from "node:stream";
import { type JsonObject, maxHostLineBytes, type Progress, readProgressFields } from "@ikigai/protocol";
import { lineReader, readJsonObject } from "@ikigai/system";
import { readChunks } from "../process/printed-output.ts";

/** Longer lines are not progress reports, in bytes. */
const maxLineBytes = 8_192;

/** At most this many reports per period (in milliseconds): more than anyone can read. */
const maxReports = 50;
const stretchMs = 250;

/** Takes the requests among the lines. */
export interface RequestLines {
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
