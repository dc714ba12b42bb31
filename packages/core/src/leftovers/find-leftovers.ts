import { lstatSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { environmentOf, isAlive, lockState, processIds } from "@ikigai/system";
import { hostIdVariable } from "./call-marks.ts";
import { leftPlaces } from "./placeholder.ts";

/** What hosts have left that were killed, with all that should have cleared up after them. */
export interface Leftovers {
  /** Processes of calls whose host is gone. Only Linux tells. */
  readonly processes: readonly number[];
  /** Locks, temporary files and placeholders of processes that are gone. They harm nobody and can be removed. */
  readonly files: readonly string[];
}

/** Ends of names of files that a process was about to put in the place of others, and the number of the process. */
const unfinished = /\.(\d+)(?:\.\d+){0,2}$/;

/** Of temporary files and directories. */
const temporary = /^ikigai-(?:sandbox-)?(\d+)-/;

/** What a killed host's watchdog takes to clear up after it, in milliseconds: what is there longer is left. */
const clearingMs = 2_500;
const pauseMs = 100;

/** @param home the user's own directory. */
export async function findLeftovers(home: string): Promise<Leftovers> {
  const own = ["", "cache", "sessions"].map((name) => join(home, name));
  return {
    processes: await lasting(deserted()),
    files: [
      ...namesIn(tmpdir()).filter((path) => isOwn(path) && isDead(temporary, path)),
      ...own.flatMap(namesIn).filter((path) => isDead(unfinished, path) || isStaleLock(path)),
      ...leftPlaces(join(home, "cache", "sandbox")),
    ],
  };
}

/** The processes that are still there when everything that clears up has had its time. */
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
    return host !== undefined && environment.includes("\0IKIGAI_CALL_ID=") && !isAlive(Number(host));
  });
}

function isDead(pattern: RegExp, path: string): boolean {
  const pid = pattern.exec(path.slice(path.lastIndexOf("/") + 1))?.[1];
  return pid !== undefined && !isAlive(Number(pid));
}

function isStaleLock(path: string): boolean {
  return path.endsWith(".lock") && lockState(path) === "abandoned";
}

function isOwn(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).map((name) => join(directory, name));
  } catch {
    return [];
  }
}
