import { GrowingBytes, HeadAndTail } from "@ikigai/system";
import { readChunks } from "./read-chunks.ts";
import type { ToolProcess } from "./start-process.ts";

/** How much of each stream is kept, in bytes. */
export interface PrintedLimits {
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
