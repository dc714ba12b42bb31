import { setTimeout as sleep } from "node:timers/promises";

/** An answer that comes sooner than this after its question does not count, in milliseconds: no one has read the question. */
export const readingMs = 500;

/** How long a terminal takes to hand over an unfinished line, in milliseconds. */
const handOverMs = 5;

/** Makes a terminal hand over the line that it edits to who reads it: without that, the line would come with the next Enter. */
export async function handOver(stdin: NodeJS.ReadStream): Promise<void> {
  if (!stdin.isTTY) return;
  stdin.setRawMode(true);
  await sleep(handOverMs);
  // A timer that is late fires before what has arrived is read.
  await new Promise(setImmediate);
  stdin.setRawMode(false);
}

/** Drops what has been typed on a terminal until now: whole lines, and the beginning of one. Nothing is dropped from a pipe. */
export async function dropTyped(stdin: NodeJS.ReadStream): Promise<void> {
  if (!stdin.isTTY) return;
  const drop = () => {};
  stdin.on("data", drop);
  await handOver(stdin);
  stdin.off("data", drop);
  // The next input waits for the next reader.
  stdin.pause();
}
