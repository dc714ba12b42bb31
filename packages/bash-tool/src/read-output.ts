// The pipe that a command writes to, and how it is read: the same pipe for all commands, where the system allows it.
import { closeSync, constants, openSync, readSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { drainMs } from "@ikigai/protocol";
import { isLinux, openPipes, type Pipe, within } from "@ikigai/system";
import type { Shell } from "./shell.ts";

/** The read end of a pipe that is used again for each command (Linux). */
let kept: number | undefined;

/** Pipes for one command each, where a pipe cannot be used again. */
let prepared: Pipe[] = [];

/** Creates what the next commands need: the warm-up's and the call's, and on Linux those of all calls of this process. */
export function preparePipes(): void {
  if (!isLinux) prepared = openPipes(2);
  else keepPipe(openPipes(1)[0]);
}

/** Returns a pipe for a command's output; `undefined` if none can be created, for instance on a full disk. */
export function takePipe(): Pipe | undefined {
  if (kept === undefined) return prepared.pop() ?? openPipes(1)[0];
  const pipe = openAgain(kept);
  if (pipe !== undefined) return pipe;
  closeSync(kept);
  kept = undefined;
  preparePipes();
  return kept === undefined ? undefined : openAgain(kept);
}

function keepPipe(pipe: Pipe | undefined): void {
  if (pipe === undefined) return;
  closeSync(pipe.writeEnd);
  kept = pipe.readEnd;
}

/**
 * Opens both ends of a kept pipe. Saves a process (mkfifo) for each call but the first.
 *
 * @returns `undefined` if it is in use: a process that an earlier command left behind could print into it.
 */
function openAgain(end: number): Pipe | undefined {
  const path = `/proc/self/fd/${end}`;
  let readEnd: number | undefined;
  try {
    if (readSync(end, Buffer.alloc(1)) > 0) return undefined;
    readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return { readEnd, writeEnd: openSync(path, constants.O_WRONLY) };
  } catch {
    // EAGAIN: someone can still write. Otherwise no descriptor is left, or /proc is not mounted.
    if (readEnd !== undefined) closeSync(readEnd);
    return undefined;
  }
}

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
