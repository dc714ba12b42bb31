import type { Readable } from "node:stream";
import type { Progress } from "@ikigai/protocol";
import { readJsonObject } from "@ikigai/system";
import { readChunks } from "../process/read-chunks.ts";

/** A longer line is no report of progress, in bytes. */
const maxLineBytes = 8_192;

/** How many reports are handed on in a stretch of time (in milliseconds): more than anybody can read. */
const maxReports = 50;
const stretchMs = 250;

/** Hands on what a tool reports on descriptor 3, one JSON object a line. Bad lines and a flood of good ones are dropped. */
export function readProgress(stream: Readable | undefined, report: ((progress: Progress) => void) | undefined): void {
  if (stream === undefined || report === undefined) return;
  const allow = limiter();
  let line: Buffer = Buffer.alloc(0);
  readChunks(stream, (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      if (line.length + end - start <= maxLineBytes && allow()) {
        const progress = parseProgress(Buffer.concat([line, chunk.subarray(start, end)]));
        if (progress) report(progress);
      }
      line = Buffer.alloc(0);
      start = end + 1;
    }
    // Of a line without an end, as much as shows that it is too long.
    line = Buffer.concat([line, chunk.subarray(start, start + maxLineBytes + 1)]).subarray(0, maxLineBytes + 1);
  });
}

function limiter(): () => boolean {
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

function parseProgress(line: Buffer): Progress | undefined {
  const reading = readJsonObject(line);
  if (!reading.ok) return undefined;
  const { progress, total, message } = reading.value;
  if (typeof progress !== "number") return undefined;
  return {
    progress,
    ...(typeof total === "number" && { total }),
    ...(typeof message === "string" && { message }),
  };
}
