import { lstatSync, readdirSync, type Stats, statSync } from "node:fs";
import { type ByteString, toPath } from "./byte-string.ts";

/** A name in a directory, and what kind of file bears it. */
export interface Entry {
  readonly name: ByteString;
  isDirectory(): boolean;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

/** Errors of the machine, not of one directory: skipping them would silently lose results. */
const fatal = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

/** What a directory holds, in any order, without `.` and `..`. */
export interface Listing {
  readonly entries: Entry[];
  /** Why it could not be read, as the system's code; a place that is no directory, or is not there, is just empty. */
  readonly problem?: string;
}

/** Lists a directory. One that cannot be read is empty. */
export function readEntries(directory: ByteString): Listing {
  const path = toPath(directory || ".");
  const entries = attempt(() => readdirSync(path, { encoding: "latin1", withFileTypes: true }));
  return Array.isArray(entries) ? { entries } : readNames(directory);
}

/**
 * Some file systems do not tell what kind of file a name belongs to. Node then asks for each one, and gives up at the
 * first that has vanished or is not ASCII.
 */
function readNames(directory: ByteString): Listing {
  const names = attempt(() => readdirSync(toPath(directory || "."), "latin1"));
  if (Array.isArray(names)) return { entries: names.flatMap((name) => findEntry(directory, name) ?? []) };
  return absent.has(names) ? { entries: [] } : { entries: [], problem: names };
}

const absent = new Set(["ENOENT", "ENOTDIR"]);

/** The entry of this name, if there is one; `.` and `..` count. */
export function findEntry(directory: ByteString, name: ByteString): Entry | undefined {
  const stats = attempt(() => lstatSync(toPath(directory + name), { throwIfNoEntry: false }));
  return typeof stats === "object" ? Object.assign(stats, { name }) : undefined;
}

/** Whether an entry is a directory, or a symbolic link to one. */
export function leadsToDirectory(directory: ByteString, entry: Entry): boolean {
  return entry.isDirectory() || (entry.isSymbolicLink() && targetOf(directory, entry)?.isDirectory() === true);
}

/** Whether an entry is a regular file, or a symbolic link to one. */
export function leadsToFile(directory: ByteString, entry: Entry): boolean {
  return entry.isFile() || (entry.isSymbolicLink() && targetOf(directory, entry)?.isFile() === true);
}

/** Whether there is something where a symbolic link leads. */
export function leadsSomewhere(directory: ByteString, entry: Entry): boolean {
  return targetOf(directory, entry) !== undefined;
}

function targetOf(directory: ByteString, { name }: Entry): Stats | undefined {
  const stats = attempt(() => statSync(toPath(directory + name), { throwIfNoEntry: false }));
  return typeof stats === "object" ? stats : undefined;
}

/** What was read, or the code of the error that one file or directory causes. */
function attempt<Result>(read: () => Result): Result | string {
  try {
    return read();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "" || fatal.has(code)) throw error;
    return code;
  }
}
