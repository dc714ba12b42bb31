import { lstatSync, readdirSync, statSync } from "node:fs";
import { type ByteString, toPath } from "./byte-string.ts";

/** A name in a directory, and what kind of file bears it. */
export interface Entry {
  readonly name: ByteString;
  isDirectory(): boolean;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

/** The machine is in trouble, not the one directory: results would be incomplete in silence. */
const fatal = new Set(["EIO", "EMFILE", "ENFILE", "ENOMEM"]);

/** The entries of a directory in any order, without `.` and `..`; none if it cannot be read. */
export function readEntries(directory: ByteString): Entry[] {
  const path = toPath(directory || ".");
  return attempt(() => readdirSync(path, { encoding: "latin1", withFileTypes: true })) ?? readNames(directory);
}

/**
 * Some file systems do not tell what kind of file a name belongs to. Node then asks for each one, and gives up at the
 * first that has vanished or is not ASCII.
 */
function readNames(directory: ByteString): Entry[] {
  const names = attempt(() => readdirSync(toPath(directory || "."), "latin1")) ?? [];
  return names.flatMap((name) => findEntry(directory, name) ?? []);
}

/** The entry of this name, if there is one; `.` and `..` count. */
export function findEntry(directory: ByteString, name: ByteString): Entry | undefined {
  const stats = attempt(() => lstatSync(toPath(directory + name), { throwIfNoEntry: false }));
  return stats && Object.assign(stats, { name });
}

/** Whether an entry is a directory, or a symbolic link to one. */
export function leadsToDirectory(directory: ByteString, entry: Entry): boolean {
  return entry.isDirectory() || (entry.isSymbolicLink() && targetOf(directory, entry)?.isDirectory() === true);
}

/** Whether an entry is a regular file, or a symbolic link to one. */
export function leadsToFile(directory: ByteString, entry: Entry): boolean {
  return entry.isFile() || (entry.isSymbolicLink() && targetOf(directory, entry)?.isFile() === true);
}

function targetOf(directory: ByteString, { name }: Entry) {
  return attempt(() => statSync(toPath(directory + name), { throwIfNoEntry: false }));
}

/** What cannot be read is passed over, as `glob(3)` does. */
function attempt<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (fatal.has(String((error as NodeJS.ErrnoException).code))) throw error;
    return undefined;
  }
}
