import { constants, copyFileSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { makePrivateDirectory } from "@ikigai/system";
import { stateDirOf } from "./beside-log.ts";

/** Gives a copy of a session what tools have kept for it. Only regular files; the copy is useful without what cannot be copied. */
export function carryState(fromLog: string, toLog: string): void {
  const [from, to] = [stateDirOf(fromLog), stateDirOf(toLog)];
  try {
    if (!lstatSync(from).isDirectory()) return;
    makePrivateDirectory(to);
    for (const name of readdirSync(from)) {
      if (lstatSync(join(from, name)).isFile()) copyFileSync(join(from, name), join(to, name), constants.COPYFILE_EXCL);
    }
  } catch {
    // Nothing was kept, or the disk is full.
  }
}
