// A tool's process that answers several calls, for tests.

import { spawn } from "node:child_process";
import { constants } from "node:os";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { drainMs, progressFd } from "@ikigai/protocol";
import { lineReader, signalGroup, within } from "@ikigai/system";
import { killStrays, toolEnvironment, toolName, unwatchGroup, watchGroup } from "./run-process.ts";

/** How to start a process that serves calls. */
export interface ServeOptions {
  /** The working directory (default: the caller's). */
  readonly cwd?: string | undefined;
  /** Added to the caller's environment, from which all `IKIGAI_*` variables are removed. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A call to a process that serves calls. */
export interface ServedCall {
  /** Its id (default: a new one). */
  readonly id?: string;
  /** The tool it is for (default: the one that was started). */
  readonly tool?: string;
  /** Its variables (default: only `IKIGAI_CALL_ID`). */
  readonly env?: Readonly<Record<string, string>>;
  /** How long to wait for the reply, in milliseconds (default: 10,000). */
  readonly timeoutMs?: number;
}

/** A process that was started with `IKIGAI_SERVE=1`. It is killed at the end of its `await using` block. */
export interface ServedProcess extends AsyncDisposable {
  /** Its process id, which is also its group. */
  readonly pid: number;
  /** What it printed on descriptor 3 so far. */
  progress(): string;
  /** What it printed on stderr so far. */
  stderr(): string;
  /** Settles with its exit code, 128+N after signal N; with `undefined` if it is still running after `timeoutMs`. */
  exitCode(timeoutMs?: number): Promise<number | undefined>;
  /** Kills processes that were started for its calls. Returns whether there were any. */
  killLeftovers(): boolean;
  /** Writes to its stdin as it is. */
  write(text: string | Uint8Array): void;
  /** Closes its stdin. */
  closeInput(): void;
  /** Writes a call, and returns the next line. */
  call(args: unknown, call?: ServedCall): Promise<string | undefined>;
  /** Writes a call, and returns its id. */
  send(args: unknown, call?: Omit<ServedCall, "timeoutMs">): string;
  /** Cancels a call to a service. */
  cancel(id: string): void;
  /** The next line on stdout, without its newline; `undefined` if stdout has ended, or after `timeoutMs`. */
  nextLine(timeoutMs?: number): Promise<string | undefined>;
  /** What it printed on stdout since its last newline. */
  unfinished(): string;
}

/** How long a line may take, in milliseconds: as long as a call in a test. */
const lineTimeoutMs = 10_000;

/**
 * Starts a tool as a host does that wants it to answer several calls: `IKIGAI_SERVE=1`, and descriptor 3 for progress.
 *
 * @param bin the executable.
 * @param options default: the current directory and environment.
 * @throws the system's error (ENOENT, EACCES, …) if the tool cannot be started.
 */
export async function startServed(bin: string, { cwd, env }: ServeOptions = {}): Promise<ServedProcess> {
  const child = spawn(resolve(bin), {
    cwd,
    env: { ...toolEnvironment(), IKIGAI_PROGRESS_FD: String(progressFd), ...env, IKIGAI_SERVE: "1" },
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    detached: true,
  });
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined) throw await new Promise((settle) => child.once("error", settle));
  watchGroup(pid);
  // It may exit without reading its input.
  stdin.on("error", () => {});
  const errors = collectText(stderr);
  const reports = collectText(child.stdio[progressFd] as Readable);
  const lines = new LineQueue(stdout);
  const ids: string[] = [];
  const exited = new Promise<number>((settle) => {
    child.once("exit", (code, signal) => settle(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  const closed = new Promise((settle) => child.once("close", settle));
  const nextLine = (timeoutMs = lineTimeoutMs) => lines.next(timeoutMs);
  const write = (frame: object) => void stdin.write(`${JSON.stringify(frame)}\n`);
  const send: ServedProcess["send"] = (args, call = {}) => {
    const { id = `${pid}-${ids.length + 1}`, tool = toolName(bin), env: variables } = call;
    ids.push(id);
    write({ call: id, tool, env: { IKIGAI_CALL_ID: id, ...variables }, arguments: args });
    return id;
  };
  return {
    pid,
    stderr: () => errors.join(""),
    progress: () => reports.join(""),
    async exitCode(timeoutMs = lineTimeoutMs) {
      const code = await within(timeoutMs, exited);
      // What it printed last is still in the pipes.
      if (code !== undefined) await within(drainMs, closed);
      return code;
    },
    killLeftovers: () => ids.flatMap((id) => killStrays(pid, id)).length > 0,
    write: (text) => void stdin.write(text),
    closeInput: () => void stdin.end(),
    nextLine,
    unfinished: () => lines.unfinished(),
    call(args, { timeoutMs, ...call } = {}) {
      send(args, call);
      return nextLine(timeoutMs);
    },
    send,
    cancel: (id) => write({ cancel: id }),
    async [Symbol.asyncDispose]() {
      signalGroup(pid, "SIGKILL");
      await exited;
      unwatchGroup(pid);
      for (const id of ids) killStrays(pid, id);
      for (const stream of child.stdio) stream?.destroy();
    },
  };
}

function collectText(stream: Readable): string[] {
  const chunks: string[] = [];
  stream.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  stream.on("error", () => {});
  return chunks;
}

/** The longest line, in bytes: more than any host accepts. */
const maxLineBytes = 64 * 1_048_576;

/** The lines of a stream, as they are asked for. */
class LineQueue {
  readonly #lines: string[] = [];
  readonly #reader: ReturnType<typeof lineReader>;
  #hasEnded = false;
  #wake: () => void = () => {};

  constructor(stream: Readable) {
    const take = (line: Buffer) => this.#lines.push(line.toString("utf8"));
    this.#reader = lineReader(maxLineBytes, take, () => stream.destroy());
    stream.on("data", (chunk: Buffer) => {
      this.#reader.add(chunk);
      this.#wake();
    });
    stream.on("error", () => {});
    stream.once("close", () => {
      const rest = this.#reader.rest();
      if (rest.length > 0) take(rest);
      this.#reader.drop();
      this.#hasEnded = true;
      this.#wake();
    });
  }

  /** The next line without its newline; `undefined` at the end, or if it takes longer than `timeoutMs`. */
  async next(timeoutMs: number): Promise<string | undefined> {
    if (this.#lines.length === 0 && !this.#hasEnded)
      await within(
        timeoutMs,
        new Promise<void>((settle) => {
          this.#wake = () => {
            if (this.#lines.length > 0 || this.#hasEnded) settle();
          };
        }),
      );
    return this.#lines.shift();
  }

  /** What has come since the last newline. */
  unfinished(): string {
    return this.#reader.rest().toString("utf8");
  }
}
