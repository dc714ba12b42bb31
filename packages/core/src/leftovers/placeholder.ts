import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, makeIfMissing, makePrivateDirectory } from "@ikigai/system";

/** A harmless file with this content, or without `content` a directory. */
export interface Placeholder {
  readonly path: string;
  readonly content?: string | undefined;
}

const held = new Map<string, () => void>();

/**
 * Creates a placeholder at a path where nothing exists, so that a sandbox can mount over it: only existing paths can be
 * protected. It is removed when the host ends, unless it has changed or another host still needs it.
 *
 * @param registry the directory in which hosts record their placeholders.
 * @returns whether something exists there now. Where this process may create nothing, its tools cannot either.
 * @throws the system's error for other failures.
 */
export function holdPlace(place: Placeholder, registry: string): boolean {
  const { path, content } = place;
  const notes = notesOf(path, registry);
  if (!held.has(path) && isThere(path) && !isThere(notes)) return true;
  // Record first: a host about to remove the placeholder sees the record, or has removed it and we create it again.
  const isNoted = held.has(path) || note(notes, path);
  const isMade = makeIfMissing(path, content);
  if (!isNoted || held.has(path)) return isMade;
  if (held.size === 0) process.once("exit", releaseAll);
  held.set(path, () => release(notes, () => remove(place)));
  return isMade;
}

/** Takes over a placeholder of a host that did not clean up. Paths without a record are the user's own. */
export function adoptPlace(path: string, registry: string): void {
  if (held.has(path) || !isThere(notesOf(path, registry))) return;
  const isDirectory = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? true;
  holdPlace({ path, ...(!isDirectory && { content: "" }) }, registry);
}

function notesOf(path: string, registry: string): string {
  return join(registry, createHash("sha256").update(path).digest("hex").slice(0, 32));
}

function releaseAll(): void {
  for (const letGo of held.values()) letGo();
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function remove({ path, content }: Placeholder): void {
  if (content === undefined) rmdirSync(path);
  else if (readFileSync(path, "utf8") === content) rmSync(path);
}

/** Records the placeholder; returns whether that worked. Without a record nothing is removed. */
function note(notes: string, path: string): boolean {
  try {
    makePrivateDirectory(notes);
    writeFileSync(join(notes, String(process.pid)), path);
    return true;
  } catch {
    return false;
  }
}

/** Removes the records of this host and of dead ones; the last host cleans up. */
function release(notes: string, clearUp: () => void): void {
  try {
    for (const name of readdirSync(notes)) {
      if (name === String(process.pid) || !isAlive(Number(name))) rmSync(join(notes, name), { force: true });
    }
    rmdirSync(notes);
    clearUp();
  } catch {
    // Another host still holds it, or it is no longer empty: it stays.
  }
}

/** Returns the placeholders that only dead hosts have recorded. */
export function leftPlaces(registry: string): string[] {
  return namesIn(registry).flatMap((name) => {
    const notes = join(registry, name);
    const hosts = namesIn(notes);
    const [first] = hosts;
    if (first === undefined || hosts.some((host) => isAlive(Number(host)))) return [];
    const path = readFileSync(join(notes, first), "utf8");
    return isThere(path) ? [path] : [];
  });
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
