import { spawnSync } from "node:child_process";
import { constants, openSync, rmSync, unlinkSync } from "node:fs";
import { temporaryPath } from "./write-atomically.ts";

/** A pipe, as two descriptors. */
export interface Pipe {
  /** Non-blocking. */
  readonly readEnd: number;
  readonly writeEnd: number;
}

/**
 * Opens pipes for the output of programs; none if that is impossible, for instance on a full disk.
 *
 * Node's "pipes" are socket pairs. On Linux a socket cannot be opened by path, so `echo oops > /dev/stderr`, common in scripts, would
 * fail with "No such device or address". Node cannot create a real pipe; mkfifo(1) can, under a name that is removed at once.
 *
 * Measured against sockets (node -e 0: 19.6 ms): +0.5 ms, since two sockets less make up for the process. A pipe from the shell
 * (`… | cat`) would cost 1.5 ms, and `kill 0` in the command would also kill the `cat`.
 */
export function openPipes(count: number): Pipe[] {
  // System directories first: PATH may begin with a directory of the project.
  const env = { PATH: `/usr/bin:/bin:${process.env.PATH}` };
  const paths = Array.from({ length: count }, (_, index) => temporaryPath(`pipe-${process.hrtime.bigint()}-${index}`));
  try {
    // mkfifo fails if the path exists, so the pipes are ours alone.
    const { status } = spawnSync("mkfifo", ["-m", "600", ...paths], { stdio: "ignore", env });
    if (status === 0) return paths.map(openBothEnds);
  } catch {
    // No process or descriptor available: fall back to sockets.
  }
  for (const path of paths) rmSync(path, { force: true });
  return [];
}

function openBothEnds(path: string): Pipe {
  // The reading end first: the writing end cannot be opened without a reader.
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  unlinkSync(path);
  return { readEnd, writeEnd };
}
