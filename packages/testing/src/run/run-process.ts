// Runs a tool as a host does: its process group, one run, and a call as tests make it.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { drainMs, graceMs, type JsonObject, toolSuffix } from "@ikigai/protocol";
import {
  commandLineOf,
  environmentOf,
  isAlive,
  isDeadState,
  isDying,
  isLinux,
  parseObject,
  processIds,
  readStat,
  runningMembers,
  signalGroup,
} from "@ikigai/system";

/** How long a process may outlive its leader, in milliseconds: the members of a pipeline end one by one. */
const partingMs = 100;
const pollMs = 10;

/** A process that was still running after the tool exited. */
export interface LeftProcess {
  readonly pid: number;
  /** Its command line; empty if it cannot be read, and `pid` is then its group. */
  readonly command: string;
}

/** Returns the running processes of the group shortly after its leader ended. */
export async function leftInGroup(groupId: number): Promise<readonly LeftProcess[]> {
  for (let waitedMs = 0; hasMembers(groupId); waitedMs += pollMs) {
    if (waitedMs >= partingMs) return isLinux ? livingMembers(groupId).map(described) : [described(groupId)];
    await sleep(pollMs);
  }
  return [];
}

function described(pid: number): LeftProcess {
  return { pid, command: commandLineOf(pid) ?? "" };
}

/** Kills processes that left the group but still have the call's id in their environment. Returns these processes. Linux only. */
export function killStrays(leader: number, callId: string): readonly LeftProcess[] {
  // Its children are younger, so most processes need not be read.
  const younger = processIds().filter((pid) => pid > leader);
  const strays = younger.filter((pid) => environmentOf(pid)?.includes(`IKIGAI_CALL_ID=${callId}\0`));
  const left = strays.map(described);
  for (const pid of strays) kill(pid);
  return left;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}

/** The system still counts zombies, and processes that have been killed and not run since; this does not. */
function hasMembers(groupId: number): boolean {
  if (!isLinux) return signalGroup(groupId, 0);
  return isAlive(-groupId) && livingMembers(groupId).length > 0;
}

function livingMembers(groupId: number): readonly number[] {
  return runningMembers(groupId).filter((pid) => !isDying(pid));
}

/** The running groups: a process in its own group does not end with its parent. */
const running = new Set<number>();

/** Kills the group if this process ends before `unwatchGroup`. */
export function watchGroup(pid: number): void {
  if (running.size === 0) process.on("exit", killRunning);
  running.add(pid);
}

/** The group has ended. */
export function unwatchGroup(pid: number): void {
  running.delete(pid);
  if (running.size === 0) process.off("exit", killRunning);
}

function killRunning(): void {
  for (const pid of running) signalGroup(pid, "SIGKILL");
}

/** Whether a process is still running. A zombie is not. Never throws. */
export function isRunning(pid: number): boolean {
  return isAlive(pid) && (!isLinux || !isDeadState(readStat(pid)?.state ?? "Z"));
}

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

/** How to call a tool. */
export interface CallOptions {
  /** The working directory (default: the caller's). */
  readonly cwd?: string | undefined;
  /** Added to the caller's environment, from which all `IKIGAI_*` variables are removed. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** When the tool gets SIGTERM, in milliseconds (default: 10,000). */
  readonly timeoutMs?: number;
  /** Command line arguments, for example `["--schema"]`. */
  readonly args?: readonly string[];
}

/**
 * How a call ended, to be compared as a whole: `toEqual({ exitCode: 0, result: { … } })` after an answer,
 * `toEqual({ exitCode: 1, stdout: "", stderr: "…" })` without one.
 *
 * `stdout` and `stderr` can always be read. If there is a `result` they are not enumerable, so that comparisons skip them.
 */
export interface CallEnd {
  /** 128+N after signal N. */
  readonly exitCode: number;
  /** What the tool printed, if that is one JSON object and it exited with 0. */
  readonly result?: JsonObject;
  /** Everything the tool printed on stdout, read as UTF-8. */
  readonly stdout: string;
  /** Everything the tool printed on stderr, read as UTF-8. */
  readonly stderr: string;
  /** Present if the tool was stopped because it timed out. */
  readonly timedOut?: true;
}

/** Shorter than the usual timeout of a test, so that the test reports the hanging tool. */
const callTimeoutMs = 10_000;

/**
 * Calls a tool as a host does: arguments on stdin, its own process group, SIGTERM on timeout and SIGKILL two seconds
 * later. Kills what the tool leaves running.
 *
 * @param bin the path of the executable.
 * @param input written to stdin: a string or bytes as they are, anything else as JSON.
 * @param options directory, environment, time limit and command line of the call; all have defaults.
 * @throws the system's error (ENOENT, EACCES, …) if the tool cannot be started.
 */
export async function call(bin: string, input: unknown, options: CallOptions = {}): Promise<CallEnd> {
  const { cwd, timeoutMs = callTimeoutMs, args = [] } = options;
  const env = { ...toolEnvironment(), ...options.env };
  const end = await runProcess(bin, args, { cwd, env, timeoutMs, stdin: toStdin(input) });
  const streams = { stdout: end.stdout.toString("utf8"), stderr: end.stderr.toString("utf8") };
  const known = { exitCode: end.exitCode, ...(end.timedOut && { timedOut: true as const }) };
  const result = end.exitCode === 0 ? parseObject(streams.stdout) : undefined;
  return result === undefined ? { ...known, ...streams } : hidden({ ...known, result }, streams);
}

function toStdin(input: unknown): string | Uint8Array {
  return typeof input === "string" || input instanceof Uint8Array ? input : (JSON.stringify(input) ?? "");
}

function hidden<Shown extends object, Hidden extends object>(shown: Shown, properties: Hidden): Shown & Hidden {
  for (const [name, value] of Object.entries(properties)) Object.defineProperty(shown, name, { value });
  return shown as Shown & Hidden;
}

/**
 * Returns the absolute path of the tool that a package builds: the `bin` of the nearest `package.json` whose name ends in `-tool`.
 *
 * @param url of a file in the package, such as a test's `import.meta.url`.
 * @throws `Error` if no `package.json` is found, or if it does not name exactly one tool.
 */
export function ownExecutable(url: string | URL): string {
  let folder = dirname(fileURLToPath(url));
  while (!existsSync(join(folder, "package.json"))) {
    if (folder === dirname(folder)) throw new Error(`Found no package.json above ${fileURLToPath(url)}.`);
    folder = dirname(folder);
  }
  const { bin = {} }: { bin?: Record<string, string> } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const [path, ...others] = Object.keys(bin).flatMap((name) => (name.endsWith(toolSuffix) ? (bin[name] ?? []) : []));
  if (path === undefined || others.length > 0)
    throw new Error(`Expected one "bin" that ends in ${toolSuffix} in ${join(folder, "package.json")}.`);
  return join(folder, path);
}
