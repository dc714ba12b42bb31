import { closeSync, constants, openSync, readSync } from "node:fs";
import { isLinux, openPipes, type Pipe } from "@ikigai/system";

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
