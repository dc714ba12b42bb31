import { closeSync, readSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { drainMs } from "@ikigai/protocol";
import { type Pipe, within } from "@ikigai/system";
import type { Shell } from "./start-shell.ts";

/** Commands shorter than this need no stream for their pipe, in milliseconds: creating one takes 2. */
const shortCommandMs = 8;

const chunkBytes = 65_536;

/** Maximum capacity of a pipe on Linux, in bytes, unless root has raised it. */
const maxPipeBytes = 1_048_576;

/** Reads a command's output while it runs. */
export interface OutputReader {
  /** Reads the rest once the shell has exited, waiting a moment if other processes may still print; then stops. */
  finish(): Promise<void>;
}

/** Passes a command's output to `sink`, from the pipe or from the shell's sockets. */
export function readOutput(pipe: Pipe | undefined, shell: Shell, sink: (chunk: Buffer) => void): OutputReader {
  const streams: Readable[] = [];
  const listen = (stream: Readable | null) => {
    if (stream === null) return;
    streams.push(stream.on("data", (chunk: Buffer) => sink(chunk)).on("error", () => {}));
  };
  if (pipe === undefined) {
    listen(shell.stdout);
    listen(shell.stderr);
  }
  const openStream = () => pipe && listen(new Socket({ fd: pipe.readEnd, readable: true, writable: false }));
  const start = setTimeout(openStream, shortCommandMs);
  return {
    async finish() {
      clearTimeout(start);
      if (streams.length === 0 && pipe) {
        if (readRest(pipe.readEnd, sink)) return closeSync(pipe.readEnd);
        openStream();
      }
      await untilClosed(streams);
      for (const stream of streams) stream.destroy();
    },
  };
}

/** Reads what is in the pipe. Returns whether it is at its end: no writer is left. */
function readRest(fd: number, sink: (chunk: Buffer) => void): boolean {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  for (let bytes = 0; bytes < maxPipeBytes; ) {
    const length = readIfAny(fd, chunk);
    if (length === 0) return true;
    if (length === undefined) return false;
    sink(chunk.subarray(0, length));
    bytes += length;
  }
  return false;
}

function readIfAny(fd: number, chunk: Buffer): number | undefined {
  try {
    return readSync(fd, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
    throw error;
  }
}

async function untilClosed(streams: readonly Readable[]): Promise<void> {
  const closed = Promise.all(
    streams.map((stream) => stream.closed || new Promise((settle) => stream.once("close", settle))),
  );
  await within(drainMs, closed);
}
