import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { basename, resolve } from "node:path";
import { drainMs, graceMs, toolSuffix } from "@ikigai/protocol";
import { signalGroup } from "@ikigai/system";
import { killStrays, type LeftProcess, leftInGroup, unwatchGroup, watchGroup } from "./process-group.ts";

/** How to run a process. */
export interface RunOptions {
  readonly cwd?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** When it gets SIGTERM, in milliseconds. */
  readonly timeoutMs: number;
  /** Its stdin; a list is written in pieces with a pause after each. `undefined` leaves stdin open and empty. */
  readonly stdin?: string | Uint8Array | readonly string[] | undefined;
  /** Called with the process's id when it has been started. */
  readonly onStart?: (pid: number) => void;
  /** Becomes `IKIGAI_CALL_ID`, which identifies processes that have left the group. */
  readonly callId?: string;
}

/** How a process ended. */
export interface ProcessEnd {
  /** 128+N after signal N. */
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  /** It was stopped because it timed out. */
  readonly timedOut: boolean;
  /** It was stopped because it printed too much. */
  readonly flooded: boolean;
  /** Its processes were still running after it exited, and were killed. */
  readonly leftProcesses: readonly LeftProcess[];
}

/** The most output per stream, in bytes: far more than any host accepts, far less than a test runner's memory. */
const maxStreamBytes = 64 * 1_048_576;

/**
 * Runs an executable in its own process group until it has exited and its output is read, as a host does: on timeout the
 * group gets SIGTERM, and SIGKILL two seconds later. Kills what the process leaves running.
 *
 * @throws the system's error if it cannot be started.
 */
export async function runProcess(bin: string, args: readonly string[], options: RunOptions): Promise<ProcessEnd> {
  const { cwd, timeoutMs, stdin, callId } = options;
  const env = { ...options.env, ...(callId !== undefined && { IKIGAI_CALL_ID: callId }) };
  const child = spawn(resolve(bin), args, { cwd, env, detached: true });
  const { pid } = child;
  if (pid === undefined) throw await new Promise((settle) => child.once("error", settle));
  watchGroup(pid);
  options.onStart?.(pid);
  let timedOut = false;
  let kill: NodeJS.Timeout | undefined;
  const end = () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    timedOut = true;
    signalGroup(pid, "SIGTERM");
    signalGroup(pid, "SIGCONT");
    kill = setTimeout(signalGroup, graceMs, pid, "SIGKILL");
  };
  // After a blocked event loop the timer fires before the exit event; on the next turn, a process that ended in time counts as such.
  const stop = setTimeout(() => setImmediate(end), timeoutMs);
  const stdout = collect(child.stdout, pid);
  const stderr = collect(child.stderr, pid);
  feed(child, stdin);
  const exitCode = await untilEnded(child);
  clearTimeout(stop);
  clearTimeout(kill);
  const members = await leftInGroup(pid);
  signalGroup(pid, "SIGKILL");
  unwatchGroup(pid);
  const strays = callId === undefined ? [] : killStrays(pid, callId);
  child.stdin.destroy();
  return {
    exitCode,
    stdout: Buffer.concat(stdout.chunks),
    stderr: Buffer.concat(stderr.chunks),
    timedOut,
    flooded: stdout.flooded || stderr.flooded,
    leftProcesses: [...members, ...strays],
  };
}

interface Collected {
  readonly chunks: Buffer[];
  flooded: boolean;
}

function collect(stream: NodeJS.ReadableStream, pid: number): Collected {
  const collected: Collected = { chunks: [], flooded: false };
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxStreamBytes) return collected.chunks.push(chunk);
    collected.flooded = true;
    return signalGroup(pid, "SIGKILL");
  });
  return collected;
}

function feed(child: ChildProcess, stdin: RunOptions["stdin"]): void {
  // A process may exit without reading its input.
  child.stdin?.on("error", () => {});
  if (!isInPieces(stdin)) {
    if (stdin !== undefined) child.stdin?.end(stdin);
    return;
  }
  const [piece, ...rest] = stdin;
  if (piece === undefined) child.stdin?.end();
  else child.stdin?.write(piece, () => setTimeout(feed, pauseMs, child, rest));
}

/** The pause between pieces of input, in milliseconds: enough for a tool that reads only once to have read. */
const pauseMs = 20;

function isInPieces(stdin: RunOptions["stdin"]): stdin is readonly string[] {
  return Array.isArray(stdin);
}

/** Waits for the exit and the end of the output, or shortly after the exit if another process holds the pipes open. */
async function untilEnded(child: ChildProcess): Promise<number> {
  let drain: NodeJS.Timeout | undefined;
  const exitCode = await new Promise<number>((settle) => {
    let code = 0;
    child.once("exit", (status, signal) => {
      code = status ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      // After a blocked event loop the timer fires first; the next turn reads what is already in the pipe.
      drain = setTimeout(() => setImmediate(() => setImmediate(settle, code)), drainMs);
    });
    child.once("close", () => settle(code));
  });
  clearTimeout(drain);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return exitCode;
}

/** The caller's environment without a host's variables: a test that runs under a host must not pass its limits on. */
export function toolEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("IKIGAI_")));
}

/** The name that a model uses for the tool in this file: `file_read` for `…/file-read-tool`. */
export function toolName(bin: string): string {
  const file = basename(bin);
  return (file.endsWith(toolSuffix) ? file.slice(0, -toolSuffix.length) : file).replaceAll("-", "_");
}
