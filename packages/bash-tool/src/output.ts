// What a command prints. By hand it stays as it is. For a model it is what a terminal shows, and what is more than an answer holds is
// in a file, which the answer names.

import { closeSync, mkdtempSync, openSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { GrowingBytes, HeadAndTail, leaveOutMiddle, type StreamText, TerminalText, writeAll } from "@ikigai/system";

/** How output is kept. */
export interface KeepOptions {
  /** How much the answer holds, in bytes. */
  readonly limitBytes: number;
  /** Whether a model reads it. */
  readonly isForModel: boolean;
  /** The directory for a file with the whole. Default: a new one in the system's temporary directory. */
  readonly directory: string | undefined;
}

/** The part of the answer about the output. */
export interface ShownOutput {
  readonly output: string;
  readonly truncated?: true;
  readonly output_file?: string;
  readonly hint?: string;
}

/** The part of the answer about a command that continues. */
export interface OutputSoFar {
  readonly output: string;
  readonly truncated?: true;
  /** The file that gets all of it; absent if there can be none. */
  readonly log?: string;
}

/** Space for the rest of the answer, in bytes. */
const frameBytes = 64;

/** The same for a command that continues: with the path of its log and the hint. */
const jobBytes = 512;

/** The largest file with an output, in bytes. */
const maxFileBytes = 50 * 1_048_576;

/** Keeps what a command prints. */
export class KeptOutput {
  readonly #options: KeepOptions;
  readonly #ends: HeadAndTail;
  readonly #decoder = new StringDecoder("utf8");
  readonly #terminal: TerminalText | undefined;
  /** What has been printed so far, until there is a file. */
  #whole: GrowingBytes | undefined;
  #file: { readonly path: string; readonly fd: number } | undefined;
  #fileBytes = 0;

  constructor(options: KeepOptions) {
    this.#options = options;
    this.#ends = new HeadAndTail(options.limitBytes);
    if (!options.isForModel) return;
    this.#terminal = new TerminalText();
    this.#whole = new GrowingBytes();
  }

  add(chunk: Buffer): void {
    if (this.#terminal === undefined) this.#ends.add(chunk);
    else this.#keep(this.#terminal.push(this.#decoder.write(chunk)));
  }

  /** Returns what the answer shows, after all has been added. */
  show(): ShownOutput {
    if (this.#terminal) this.#keep(this.#terminal.push(this.#decoder.end()) + this.#terminal.end());
    const ends = this.#ends.ends();
    const room = this.#options.limitBytes - frameBytes;
    const whole = withoutNewline(ends.head);
    const isWhole = ends.isWhole && (this.#terminal === undefined || Buffer.byteLength(JSON.stringify(whole)) <= room);
    if (isWhole) return { output: whole };
    this.#save();
    const file = this.#file;
    if (file === undefined) return { output: middleLeftOut(ends, room), truncated: true };
    closeSync(file.fd);
    const named = { output_file: file.path, hint: hintFor(ends.bytes) };
    const rest = Buffer.byteLength(JSON.stringify(named));
    return { output: middleLeftOut(ends, Math.max(room - rest, room / 2)), truncated: true, ...named };
  }

  /** Returns what the answer shows of a command that continues; what it prints from now on goes to the file, line by line. */
  showSoFar(): OutputSoFar {
    this.#save();
    const row = this.#terminal?.row ?? "";
    const { isWhole, head, tail, bytes } = this.#ends.ends();
    const room = this.#options.limitBytes - jobBytes;
    const log = this.#file && { log: this.#file.path };
    const whole = withoutNewline(head + row);
    if (isWhole && Buffer.byteLength(JSON.stringify(whole)) <= room) return { output: whole, ...log };
    const ends = {
      isWhole,
      head: isWhole ? head + row : head,
      tail: tail + row,
      bytes: bytes + Buffer.byteLength(row),
    };
    return { output: middleLeftOut(ends, room), truncated: true, ...log };
  }

  /** Completes the file of a command that went on. */
  close(): void {
    if (this.#terminal) this.#keep(this.#terminal.push(this.#decoder.end()) + this.#terminal.end());
    if (this.#file) closeSync(this.#file.fd);
    this.#file = undefined;
  }

  #keep(text: string): void {
    if (text === "") return;
    const bytes = Buffer.from(text);
    this.#ends.add(bytes);
    this.#whole?.push(bytes);
    if (this.#file) this.#write(bytes);
    else if ((this.#whole?.length ?? 0) > this.#options.limitBytes) this.#save();
  }

  /** Moves what has been printed so far to a file. Without one, the answer says how much is missing. */
  #save(): void {
    const whole = this.#whole;
    if (whole === undefined) return;
    this.#whole = undefined;
    this.#file = openFile(this.#options.directory);
    this.#write(whole.bytes);
  }

  #write(bytes: Buffer): void {
    const piece = bytes.subarray(0, maxFileBytes - this.#fileBytes);
    if (this.#file === undefined || piece.length === 0) return;
    this.#fileBytes += piece.length;
    try {
      writeAll(this.#file.fd, piece);
    } catch {
      // The disk is full.
      closeSync(this.#file.fd);
      this.#file = undefined;
    }
  }
}

function openFile(given: string | undefined): { readonly path: string; readonly fd: number } | undefined {
  try {
    const directory = given ?? mkdtempSync(join(tmpdir(), "ikigai-output-"));
    for (let number = 1; ; number++) {
      const path = join(directory, `bash-${number}.txt`);
      const fd = openNew(path);
      if (fd !== undefined) return { path, fd };
    }
  } catch {
    return undefined;
  }
}

/** Opens a new file for the user only; `undefined` if there is one. */
function openNew(path: string): number | undefined {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return undefined;
    throw error;
  }
}

function hintFor(bytes: number): string {
  const what = bytes > maxFileBytes ? `the first ${maxFileBytes} of ${bytes} bytes` : `all ${bytes} bytes`;
  return `output_file has ${what}: search it with grep, or read a part with file_read (offset, limit).`;
}

function middleLeftOut({ isWhole, head, tail: whole, bytes }: StreamText, room: number): string {
  const tail = withoutNewline(whole);
  const newlineBytes = whole.length - tail.length;
  return leaveOutMiddle({ head: isWhole ? tail : head, tail, bytes: bytes - newlineBytes }, room);
}

function withoutNewline(text: string): string {
  return text.endsWith("\n") ? text.slice(0, -1) : text;
}

/** Reports a command's output to the host while it runs. */
export interface LiveOutput {
  add(chunk: Buffer): void;
  stop(): void;
}

/** Interval of reports, in milliseconds. Shorter commands are not reported. */
const periodMs = 100;

/** How much of the end is reported, in bytes: a screenful. Even if every byte is escaped, the host accepts the line. */
const shownBytes = 1_200;

/** The host's progress descriptor. Stays open after a command: the next call of this process reports on it, too. */
let socket: Socket | undefined;

/** Reports on the host's progress descriptor: bytes so far, and the last lines. Without a host, does nothing. */
export function liveOutput(fd = Number(process.env.IKIGAI_PROGRESS_FD)): LiveOutput {
  if (!(fd > 2)) return { add: () => {}, stop: () => {} };
  let tail: Buffer = Buffer.alloc(0);
  let bytes = 0;
  let reported = 0;
  const report = () => {
    // A slow host skips reports and gets the newest.
    if (bytes === reported || socket?.destroyed || socket?.writableLength) return;
    socket ??= open(fd);
    if (socket === undefined) clearInterval(timer);
    reported = bytes;
    socket?.write(`${JSON.stringify({ progress: bytes, message: lastLines(tail, bytes) })}\n`);
  };
  const timer = setInterval(report, periodMs);
  timer.unref();
  return {
    add(chunk) {
      bytes += chunk.length;
      tail = Buffer.concat([tail, chunk.subarray(-shownBytes)]).subarray(-shownBytes);
    },
    stop() {
      clearInterval(timer);
      // A report that the host has not taken yet must not arrive during the next call.
      if (socket?.writableLength) socket.destroy();
    },
  };
}

function open(fd: number): Socket | undefined {
  try {
    return new Socket({ fd, readable: false, writable: true }).on("error", () => {}).unref();
  } catch {
    return undefined;
  }
}

/** Drops a partial first line, unless it is the only one. */
function lastLines(tail: Buffer, bytes: number): string {
  const text = tail.toString("utf8");
  const firstEnd = text.indexOf("\n");
  return bytes > tail.length && firstEnd >= 0 && firstEnd < text.length - 1 ? text.slice(firstEnd + 1) : text;
}
