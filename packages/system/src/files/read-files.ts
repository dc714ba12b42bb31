// Reads regular files whole, in part or by their first line, says why one cannot be read, and hashes files and folders. Never waits at a
// FIFO or a device.

import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readSync } from "node:fs";
import { dirname, join } from "node:path";
import { shellWord, systemReason } from "../text/words.ts";
import { ownerProblem } from "./directories.ts";
import { readEntries, readLink, statsOf } from "./paths.ts";

/**
 * Reads a regular file. Never blocks on a FIFO.
 *
 * @param maxBytes for a file that others can write.
 * @throws the system's error; Error if it is not a regular file, or larger.
 */
export function readRegularFile(path: string, maxBytes = Number.POSITIVE_INFINITY): Buffer {
  const fd = openRegularFile(path);
  if (fd === undefined) throw new Error(`${path} is not a regular file`);
  try {
    if (fstatSync(fd).size > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Opens a file for reading; returns `undefined` if it is not a regular file. Never blocks: a FIFO is opened without its writer
 * and closed again.
 *
 * @throws the system's error if it cannot be opened.
 */
export function openRegularFile(path: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    // Linux's error for a socket.
    if ((error as NodeJS.ErrnoException).code === "ENXIO") return undefined;
    throw error;
  }
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  return undefined;
}

/** What the first line of a script says. */
export interface FirstLine {
  /** The program that the system starts; empty if the line names none. */
  readonly interpreter: string;
  /** For `env`: the program that it starts. Absent for another interpreter. */
  readonly program?: string;
  /** For `env`: the words after that program. */
  readonly options: readonly string[];
  /** Whether it ends in CRLF, so that the last name ends in a carriage return. */
  readonly isCrlf: boolean;
}

/** Reads the `#!` line of a script; `undefined` if it has none, or cannot be read. */
export function readFirstLine(path: string): FirstLine | undefined {
  const [, line] = /^#!([^\n]*)/.exec(readHead(path)?.toString("latin1") ?? "") ?? [];
  if (line === undefined) return undefined;
  const [, interpreter = "", rest = ""] = /^\s*(\S*)\s*(.*?)\s*$/s.exec(line) ?? [];
  const isCrlf = line.endsWith("\r");
  if (!interpreter.endsWith("/env")) return { interpreter, options: [], isCrlf };
  // Without -S, env gets the rest as one word.
  const [, words] = /^(?:-\w*S|--split-string[= ])\s*(.*)$/s.exec(rest) ?? [];
  const [program, ...options] = words === undefined ? [rest] : commandOf(splitWords(words));
  return { interpreter, ...(program && { program }), options, isCrlf };
}

/** Splits words as `env -S` does, with quotes. */
function splitWords(text: string): string[] {
  const words = text.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/gs) ?? [];
  return words.map((word) =>
    word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, (_, double?: string, single?: string, one?: string) =>
      double === undefined ? (single ?? one ?? "") : double.replace(/\\(.)/gs, "$1"),
    ),
  );
}

/** Leaves out the options of `env` and the variables that it sets. */
function commandOf(words: readonly string[]): readonly string[] {
  const takesWord = /^-[uC]$|^--(?:unset|chdir)$/;
  const start = words.findIndex((word, index) => {
    return !/^-|^\w+=/.test(word) && !takesWord.test(words[index - 1] ?? "");
  });
  return start < 0 ? [] : words.slice(start);
}

/** How far Linux itself reads a `#!` line, in bytes. */
const headBytes = 256;

/**
 * Returns the first bytes of a regular file; `undefined` if it is not one or unreadable. Never blocks on a FIFO.
 *
 * @param maxBytes 256 by default.
 */
export function readHead(path: string, maxBytes = headBytes): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openRegularFile(path);
    if (fd === undefined) return undefined;
    const head = Buffer.alloc(maxBytes);
    return head.subarray(0, readSync(fd, head));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/**
 * Says why one of the user's files or directories cannot be read, and how to change that where it is known: sentences, the first of which
 * begins with "cannot be read", for after the path.
 *
 * @param error the system's error
 * @param all the directory whose files should all be the user's; absent for a file elsewhere
 */
export function readProblem(error: NodeJS.ErrnoException, path: string, all?: string): string {
  const { code = "" } = error;
  const isDenied = ["EACCES", "EPERM"].includes(code);
  const owner = isDenied && all !== undefined ? ownerProblem(path, all) : undefined;
  const remedy = owner ?? (isDenied ? modeRemedy(path) : undefined);
  return `cannot be read: ${systemReason(error)}.${remedy === undefined ? "" : ` ${remedy}`}`;
}

/** What to do about a mode that keeps its owner, this user, out; `undefined` if something else does. */
function modeRemedy(path: string): string | undefined {
  let place = path;
  while (place !== dirname(place) && statsOf(place) === undefined) place = dirname(place);
  const stats = statsOf(place);
  const [needed, words] = stats?.isDirectory() ? [0o500, "u+rwx"] : [0o400, "u+rw"];
  const isClosed = stats !== undefined && stats.uid === process.geteuid?.() && (stats.mode & needed) !== needed;
  return isClosed ? `To fix it: chmod ${words} ${shellWord(place)}` : undefined;
}

/** The content of a folder. */
export interface TreeHash {
  /** The hash of all paths, executable bits and contents: equal hashes mean equal folders. */
  readonly sha256: string;
  /** The paths of all entries that are not directories. */
  readonly paths: readonly string[];
}

/** Hashes a folder. Links count as their target paths and are not followed. */
export function hashTree(root: string): TreeHash {
  const hash = createHash("sha256");
  const paths = entriesOf(root);
  for (const name of paths) {
    const path = join(root, name);
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) hash.update(JSON.stringify([name, "link", readLink(path)]));
    else if (!stats.isFile()) hash.update(JSON.stringify([name, "other"]));
    else {
      const kind = stats.mode & 0o100 ? "program" : "file";
      hash.update(JSON.stringify([name, kind, hashFile(path)]));
    }
  }
  return { sha256: hash.digest("hex"), paths };
}

/** The SHA-256 of one file, as `sha256sum` prints it. */
export function hashFile(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

/** What Python writes beside the files that it reads: no part of a package, and never in one that was added. */
export const pythonCache = "__pycache__";

/**
 * All entries that are not directories, by path from the root, in a fixed order; without Python's caches.
 *
 * @throws the system's error; EILSEQ if a name is not UTF-8.
 */
export function entriesOf(root: string): string[] {
  return entriesBelow(root, "").sort();
}

function entriesBelow(root: string, directory: string): string[] {
  return readEntries(join(root, directory)).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory() && entry.name === pythonCache) return [];
    return entry.isDirectory() ? entriesBelow(root, path) : path;
  });
}
