import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readProcess } from "./read-process.ts";

/** Held by the process that writes a session. */
export interface SessionLock {
  release(): void;
}

/**
 * Takes the lock of a session; `undefined` when another living process has it. A lock is the process's id and when it
 * started, so that a later process of the same id does not keep it alive.
 *
 * @throws the system's error when no file can be made there.
 */
export function lockSession(path: string): SessionLock | undefined {
  const own = `${process.pid} ${readProcess(process.pid)?.startTicks ?? "unknown"}\n`;
  for (let attempt = 0; attempt < 3; attempt++) {
    if (create(path, own)) return { release: () => release(path, own) };
    const holder = read(path);
    if (holder === undefined) continue;
    if (isAlive(holder)) return undefined;
    removeStale(path, holder);
  }
  return undefined;
}

/** Whether a living process has the lock. */
export function isHeld(path: string): boolean {
  const holder = read(path);
  return holder !== undefined && isAlive(holder);
}

function create(path: string, own: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  try {
    writeFileSync(fd, own);
    return true;
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

/** Two processes may find the same lock stale. Renaming is the vote: who moved a fresh one away puts it back. */
function removeStale(path: string, stale: string): void {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, "utf8") !== stale) linkSync(aside, path);
  } catch {
    // Somebody else was quicker; the next attempt sees what they did.
  } finally {
    rmSync(aside, { force: true });
  }
}

function release(path: string, own: string): void {
  if (read(path) === own) rmSync(path, { force: true });
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function isAlive(holder: string): boolean {
  const [pid = "", start] = holder.trim().split(" ");
  if (!/^[1-9]\d*$/.test(pid)) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  const now = readProcess(Number(pid))?.startTicks;
  return now === undefined || start === "unknown" || now === start;
}
