// Names as bytes, and what the system says about them: listings, file types, the targets of links.
import { Buffer, isUtf8 } from "node:buffer";
import { lstatSync, readdirSync, type Stats, statSync } from "node:fs";

/**
 * A file name or path as the kernel sees it: each UTF-16 unit holds one byte.
 *
 * This preserves names that are not UTF-8. Such strings are also small, and `<` sorts them by bytes.
 */
export type ByteString = string;

const beyondAscii = /[\u0080-\uffff]/;

/** Whether a text equals its UTF-8 bytes. */
export function isAscii(text: string): boolean {
  return !beyondAscii.test(text);
}

/** Encodes a text as UTF-8 bytes. */
export function fromText(text: string): ByteString {
  return isAscii(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}

/** Converts to a path for Node's functions: a string if the bytes are UTF-8, otherwise a Buffer. */
export function toPath(bytes: ByteString): string | Buffer {
  if (isAscii(bytes)) return bytes;
  const buffer = Buffer.from(bytes, "latin1");
  return isUtf8(buffer) ? buffer.toString("utf8") : buffer;
}

/** The code points of a text. */
export function codesOf(text: string): number[] {
  return Array.from(text, (character) => character.codePointAt(0) ?? 0);
}

/** A name in a directory, with its file type. */
export interface Entry {
  readonly name: ByteString;
  isDirectory(): boolean;
  isFile(): boolean;
  isSymbolicLink(): boolean;
}

const machineCodes = new Set(["EMFILE", "ENFILE", "ENOMEM"]);

/** Whether an error is the machine's, not that of one file or directory: skipping it would silently lose results. Never throws. */
export function isOfMachine(error: unknown): boolean {
  return machineCodes.has((error as NodeJS.ErrnoException).code ?? "");
}

/** A directory's contents in any order, without `.` and `..`. */
export interface Listing {
  readonly entries: Entry[];
  /** The system's code if it could not be read. A path that is missing or not a directory is simply empty. */
  readonly problem?: string;
}

/** Lists a directory; empty if it cannot be read. */
export function readEntries(directory: ByteString): Listing {
  const path = toPath(directory || ".");
  const entries = attempt(() => readdirSync(path, { encoding: "latin1", withFileTypes: true }));
  return Array.isArray(entries) ? { entries } : readNames(directory);
}

/**
 * Some file systems do not report file types. Node then calls lstat for each name, and fails at the first one that has vanished
 * or is not ASCII.
 */
function readNames(directory: ByteString): Listing {
  const names = attempt(() => readdirSync(toPath(directory || "."), "latin1"));
  if (Array.isArray(names)) return { entries: names.flatMap((name) => findEntry(directory, name) ?? []) };
  return absent.has(names) ? { entries: [] } : { entries: [], problem: names };
}

const absent = new Set(["ENOENT", "ENOTDIR"]);

/** Looks up a name, including `.` and `..`; `undefined` if it does not exist. */
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

/** Whether a symbolic link's target exists. */
export function leadsSomewhere(directory: ByteString, entry: Entry): boolean {
  return targetOf(directory, entry) !== undefined;
}

function targetOf(directory: ByteString, { name }: Entry): Stats | undefined {
  const stats = attempt(() => statSync(toPath(directory + name), { throwIfNoEntry: false }));
  return typeof stats === "object" ? stats : undefined;
}

/** Returns the result, or the error code if the error concerns only this file or directory. */
function attempt<Result>(read: () => Result): Result | string {
  try {
    return read();
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code === "" || isOfMachine(error)) throw error;
    return code;
  }
}
