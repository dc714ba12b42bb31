// Finds what killed hosts have left behind when their watchdog was killed, too: processes, locks, temporary files and placeholders.
// For `ikigai doctor`.

import { lstatSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { environmentOf, isAlive, isLeftLock, namesIn, processIds, temporaryOwner } from "@ikigai/system";
import { hostIdVariable, serveVariable, serviceIdVariable } from "../process/tool-command.ts";
import { leftPlaces } from "./host-sandbox.ts";

/** What killed hosts have left behind when their cleanup was killed, too. */
export interface Leftovers {
  /** Processes of calls whose host is gone. Linux only. */
  readonly processes: readonly number[];
  /** Locks, temporary files, directories of conversations and placeholders of processes that are gone. They can be removed. */
  readonly files: readonly string[];
}

/** Time a killed host's watchdog needs to clean up, in milliseconds: whatever lasts longer is left over. */
const clearingMs = 2_500;
const pauseMs = 100;

/** Finds what killed hosts have left behind. @param home the user's directory, `~/.ikigai`. */
export async function findLeftovers(home: string): Promise<Leftovers> {
  const own = ["", "cache", "sessions", "tools"].map((name) => join(home, name));
  return {
    processes: await lasting(deserted()),
    files: [
      ...own.flatMap(pathsIn).filter((path) => isAbandoned(path) || isStaleLock(path)),
      ...pathsIn(join(home, "cache", "conversations")).filter(
        (path) => isStaleLock(path) || isStaleLock(`${path}.lock`),
      ),
      ...leftPlaces(home),
      // Last, because there may be many of them.
      ...pathsIn(tmpdir()).filter((path) => isAbandoned(path) && isOwn(path)),
    ],
  };
}

/** Returns the processes that still exist after the watchdogs have had their time. */
async function lasting(pids: readonly number[]): Promise<number[]> {
  const deadlineMs = performance.now() + clearingMs;
  let left = [...pids];
  while (left.length > 0 && performance.now() < deadlineMs) {
    await sleep(pauseMs);
    const now = deserted();
    left = left.filter((pid) => now.includes(pid));
  }
  return left;
}

function deserted(): number[] {
  return processIds().filter((pid) => {
    const environment = environmentOf(pid) ?? "";
    const host = new RegExp(`(?:^|\0)${hostIdVariable}=(\\d+)-`).exec(environment)?.[1];
    const isOfTool = ["IKIGAI_CALL_ID", serveVariable, serviceIdVariable].some((name) =>
      environment.includes(`\0${name}=`),
    );
    return host !== undefined && isOfTool && !isAlive(Number(host));
  });
}

/** Whether its name is a temporary one of ours, and its process is gone. */
function isAbandoned(path: string): boolean {
  const pid = temporaryOwner(basename(path));
  return pid !== undefined && !isAlive(pid);
}

function isStaleLock(path: string): boolean {
  return path.endsWith(".lock") && isLeftLock(path);
}

function isOwn(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

function pathsIn(directory: string): string[] {
  return namesIn(directory).map((name) => join(directory, name));
}
