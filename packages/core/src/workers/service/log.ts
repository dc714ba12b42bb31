// What a service prints on stderr: in a file of limited size, and the end in memory, for messages that say why it has ended.

import { closeSync, constants, fchmodSync, fstatSync, ftruncateSync, openSync, readSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { makePrivateDirectory, privateFileMode, tellingLine, writeAll } from "@ikigai/system";

/** The log has at most this many bytes, the last ones. */
const maxLogBytes = 1_048_576;

/** What is kept when it gets longer, in bytes: moving it for every line would be slow. */
const keptBytes = 786_432;

/** How much of the end a message gets, in bytes. */
const endBytes = 2_048;

/** How much of the end is kept to find the line that says why, in bytes: a stack trace comes after it. */
const traceBytes = 16_384;

/** A longer line is cut for a message, in characters. */
const maxLineLength = 300;

const lineEnd = 0x0a;

/** Returns the path of the log of all services with this name. */
export function serviceLogPath(home: string, service: string): string {
  return join(resolve(home), "logs", `service-${service}.log`);
}

/** What a service has printed on stderr, for a message. */
export interface Said {
  /** The last lines. */
  readonly end: string;
  /** The line that says why it has ended, without terminal controls, cut to what a message has room for; `""` if nothing was printed. */
  readonly reason: string;
  /** The file with all of it, if there is one. */
  readonly path: string | undefined;
}

/**
 * What one service prints on stderr: in a file that only the user can read, shared by the services of the same name, and the end
 * in memory. Without a place for it, or if the file cannot be written, only the latter.
 */
export class ServiceLog {
  /** The file, if it could be opened. */
  readonly path: string | undefined;
  #fd: number | undefined;
  #end: Buffer = Buffer.alloc(0);
  #length = 0;

  constructor(path: string | undefined) {
    this.#fd = path === undefined ? undefined : openLog(path);
    this.path = this.#fd === undefined ? undefined : path;
  }

  /** How many bytes it has printed. */
  get length(): number {
    return this.#length;
  }

  /** What it has printed since it had printed `length` bytes. */
  since(length: number): Said {
    const printed = this.#end.subarray(Math.max(0, this.#end.length - (this.#length - length)));
    return { end: endOf(printed), reason: reasonIn(printed), path: this.path };
  }

  /** Notes what the host has done with the service. */
  note(text: string): void {
    this.#write(Buffer.from(`--- ${new Date().toISOString()} ${text}\n`));
  }

  /** @param chunk valid until this returns. */
  add(chunk: Buffer): void {
    this.#length += chunk.length;
    this.#end = Buffer.from(Buffer.concat([this.#end, chunk]).subarray(-traceBytes));
    this.#write(chunk);
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #write(bytes: Buffer): void {
    if (this.#fd === undefined) return;
    try {
      const last = bytes.subarray(-maxLogBytes);
      if (fstatSync(this.#fd).size + last.length > maxLogBytes) makeRoom(this.#fd, last.length);
      writeAll(this.#fd, last);
    } catch {
      // The disk is full: the service continues without its log.
    }
  }
}

function endOf(printed: Buffer): string {
  const text = printed.subarray(-endBytes).toString("utf8");
  return printed.length < endBytes ? text : text.slice(text.indexOf("\n") + 1);
}

function reasonIn(printed: Buffer): string {
  const lines = stripVTControlCharacters(printed.toString("utf8")).split(/[\r\n]/);
  // Tabs begin the lines of some stack traces.
  const plain = lines.map((line) => line.replaceAll(/\p{Cc}/gu, " "));
  const line = tellingLine(plain.join("\n"), "last");
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength)}…` : line;
}

/** Opens a log for appending; `undefined` if it is not the user's own file, or cannot be opened. */
function openLog(path: string): number | undefined {
  let fd: number | undefined;
  try {
    makePrivateDirectory(dirname(path));
    const { O_RDWR, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
    fd = openSync(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, privateFileMode);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.uid !== process.geteuid?.()) throw new Error("not the user's own file");
    if ((stats.mode & 0o077) !== 0) fchmodSync(fd, privateFileMode);
    return fd;
  } catch {
    if (fd !== undefined) closeSync(fd);
    return undefined;
  }
}

/** Drops the beginning, up to the end of a line, so that this many bytes can be added. */
function makeRoom(fd: number, bytes: number): void {
  const { size } = fstatSync(fd);
  const room = Buffer.alloc(Math.min(size, keptBytes, maxLogBytes - bytes));
  const read = readSync(fd, room, 0, room.length, size - room.length);
  const kept = room.subarray(0, read);
  ftruncateSync(fd, 0);
  writeAll(fd, kept.subarray(kept.indexOf(lineEnd) + 1));
}
