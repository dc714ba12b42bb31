import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, makeIfMissing, makePrivateDirectory } from "@ikigai/system";

/** Something harmless: a file with this content, or else a directory. */
export interface Placeholder {
  readonly path: string;
  readonly content?: string | undefined;
}

const held = new Map<string, () => void>();

/**
 * Makes something harmless where there is nothing, so that a sandbox can be put over it: only what exists can be protected
 * from being made. It is removed when the host ends, unless it has become something else or another host still needs it.
 *
 * @param registry the directory in which hosts note what they hold.
 * @returns whether something stands there now. Where this process may make nothing, neither may its tools.
 * @throws the system's error when it fails for another reason.
 */
export function holdPlace(place: Placeholder, registry: string): boolean {
  const { path, content } = place;
  const notes = notesOf(path, registry);
  if (!held.has(path) && isThere(path) && !isThere(notes)) return true;
  // Noted first: whoever is about to remove it sees the note, or has removed it and we make it again.
  const isNoted = held.has(path) || note(notes, path);
  const isMade = makeIfMissing(path, content);
  if (!isNoted || held.has(path)) return isMade;
  if (held.size === 0) process.once("exit", releaseAll);
  held.set(path, () => release(notes, () => remove(place)));
  return isMade;
}

/** Holds what another host made that has not cleared up after itself. What nobody has noted is the user's own. */
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

/** Says whether it could be noted: without a note nothing is removed. */
function note(notes: string, path: string): boolean {
  try {
    makePrivateDirectory(notes);
    writeFileSync(join(notes, String(process.pid)), path);
    return true;
  } catch {
    return false;
  }
}

/** Takes back this host's note and those of the dead; the last one out clears up. */
function release(notes: string, clearUp: () => void): void {
  try {
    for (const name of readdirSync(notes)) {
      if (name === String(process.pid) || !isAlive(Number(name))) rmSync(join(notes, name), { force: true });
    }
    rmdirSync(notes);
    clearUp();
  } catch {
    // Somebody else holds it, or somebody has put something into it: it stays.
  }
}

/** The places that only dead hosts have noted: what stands there is nobody's any more. */
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
