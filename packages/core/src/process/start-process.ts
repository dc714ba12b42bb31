// Starts a program in a session and process group of its own: its pipes, its exit, and the reason if it cannot be started. Then its
// group: whether it still runs or computes, and how it is killed.

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync } from "node:fs";
import { Socket } from "node:net";
import { constants } from "node:os";
import type { Duplex, Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command, Failure, Through } from "@ikigai/sandbox";
import {
  childrenOf,
  childStdio,
  exitingFlag,
  explainStartFailure,
  isDeadState,
  isLinux,
  openPipes,
  readStat,
  runningMembers,
  signalGroup,
} from "@ikigai/system";

/** How a process ended. */
export interface Exit {
  /** 128+N after signal N. */
  readonly code: number;
  readonly signal: NodeJS.Signals | undefined;
}

/** A process that leads its own session and process group: it has no terminal, and one signal reaches the whole group. */
export interface ToolProcess {
  /** Also the process group id. */
  readonly pid: number;
  readonly stdin: Writable | undefined;
  /** Sends the whole input. */
  readonly send: (input: string) => void;
  /** Asks it to end; it may still print. */
  readonly askToEnd: () => void;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Descriptor 3. */
  readonly progress: Duplex | undefined;
  readonly through: Through | undefined;
  /** Settles as soon as the process has exited, even if others still hold its pipes. */
  readonly exited: Promise<Exit>;
  /** Whether the host's event loop waits for it. Initially true. */
  holdHost(holds: boolean): void;
}

/** A process, or why it could not be started. */
export type Started = { readonly process: ToolProcess } | Failure;

/** Retries and pause (in milliseconds) for a file that is still being written (ETXTBSY). */
const busyRetries = 3;
const busyPauseMs = 50;

/** Starts a program. Never throws: returns the reason if it cannot be started. */
export async function startProcess(command: Command): Promise<Started> {
  // A name without a slash would be searched for on PATH. If every entry of PATH is too long, libuv reports a start and never an exit.
  if (!command.path.includes("/")) return { failure: `${command.path} is not a path` };
  for (let retries = 0; ; retries++) {
    const started = await spawnOnce(command);
    if ("process" in started) return started;
    if (started.error.code !== "ETXTBSY" || retries === busyRetries) {
      return { failure: explainStartFailure(command.path, command.cwd, started.error) };
    }
    await sleep(busyPauseMs);
  }
}

type Spawned = { readonly process: ToolProcess } | { readonly error: NodeJS.ErrnoException };

async function spawnOnce(command: Command): Promise<Spawned> {
  const { path, args, cwd, env, hasInput, hasPipe, hasProgress, filter, through } = command;
  const [pipe] = hasPipe ? openPipes(1) : [];
  let child: ChildProcess;
  try {
    child = spawn(path, args, {
      cwd,
      env,
      detached: true,
      stdio: childStdio(
        hasInput ? "pipe" : "ignore",
        ...([pipe?.writeEnd ?? "pipe", "pipe"] as const),
        hasProgress ? "pipe" : "ignore",
        ...(filter ? (["pipe"] as const) : []),
      ),
    });
  } catch (error) {
    // Some errors are thrown (ELOOP, ETXTBSY, E2BIG, NUL), the others are emitted.
    if (pipe) closeSync(pipe.readEnd);
    return { error: error as NodeJS.ErrnoException };
  } finally {
    if (pipe) closeSync(pipe.writeEnd);
  }
  const { pid, stdin, stderr, stdio } = child;
  const stdout = pipe ? new Socket({ fd: pipe.readEnd, readable: true, writable: false }) : child.stdout;
  if (pid === undefined || !stdout || !stderr) {
    stdout?.destroy();
    return { error: await new Promise((settle) => child.once("error", settle)) };
  }
  const progress = stdio[3] as Duplex | null | undefined;
  const filtering = filter ? (stdio[4] as Socket | null | undefined) : undefined;
  // A tool may close its streams at any time; an unhandled error event would end the host.
  for (const stream of [child, stdin, stdout, stderr, progress, filtering]) stream?.on("error", () => {});
  if (filter) filtering?.end(filter).unref();
  if (through?.kind === "launcher") stdin?.write(through.preamble);
  return {
    process: {
      pid,
      stdin: stdin ?? undefined,
      ...conversation({ pid, stdin }, through),
      stdout,
      stderr,
      progress: progress ?? undefined,
      through,
      exited: untilExited(child),
      holdHost(holds) {
        // Node makes the pipes sockets, but its types do not say so.
        const handles = [child, stdin, stdout, stderr, progress] as (
          | Pick<Socket, "ref" | "unref">
          | null
          | undefined
        )[];
        for (const handle of handles) handle?.[holds ? "ref" : "unref"]();
      },
    },
  };
}

/** How input and the request to end reach the process. */
function conversation(
  { pid, stdin }: { pid: number; stdin: Writable | null },
  through: Through | undefined,
): Pick<ToolProcess, "send" | "askToEnd"> {
  const send = (input: string) => void stdin?.end(input);
  switch (through?.kind) {
    case undefined:
      return { send, askToEnd: () => askGroupToEnd(pid) };
    case "sandbox":
      return { send, askToEnd: () => askMembersToEnd(pid) };
    case "launcher":
      return { send: (input) => void stdin?.write(framed(input)), askToEnd: () => void stdin?.end() };
    default:
      return through satisfies never;
  }
}

/** Length-prefixed input, `BYTES\nINPUT.`; the dot lets a shell detect a short read. */
function framed(input: string): string {
  const whole = `${input}.`;
  return `${Buffer.byteLength(whole)}\n${whole}`;
}

function untilExited(child: ChildProcess): Promise<Exit> {
  return new Promise((settle) => {
    child.once("exit", (code, signal) => {
      settle({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), signal: signal ?? undefined });
    });
  });
}

/** Asks a group to end. Adds SIGCONT, since a stopped process does not handle SIGTERM. */
function askGroupToEnd(groupId: number): void {
  signalGroup(groupId, "SIGTERM");
  signalGroup(groupId, "SIGCONT");
}

/**
 * Asks the members of a group to end, except its leader, which waits for them and passes on their exit code. Asks the leader if
 * it is alone.
 */
function askMembersToEnd(groupId: number): void {
  const members = runningMembers(groupId).filter((pid) => pid !== groupId);
  if (members.length === 0) askGroupToEnd(groupId);
  for (const pid of members) {
    try {
      process.kill(pid, "SIGTERM");
      process.kill(pid, "SIGCONT");
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Kills the remaining members of a group whose leader has ended. Returns whether any was still running. */
export function killGroup(groupId: number): boolean {
  // The common case: nothing is left, and this is all it costs.
  if (!signalGroup(groupId, 0)) return false;
  const wasRunning = hasRunningMember(groupId);
  signalGroup(groupId, "SIGKILL");
  return wasRunning;
}

/** Zombies are still members of their group; they do not count. */
function hasRunningMember(groupId: number): boolean {
  return !isLinux || runningMembers(groupId).length > 0;
}

/** Linux's PF_KTHREAD. */
const kernelThreadFlag = 0x20_0000;

/**
 * Returns whether a process or one of its children is computing, ready to compute or reading from a disk, as opposed to
 * waiting. Linux only; false elsewhere.
 */
export function isBusy(pid: number): boolean {
  const { state } = readStat(pid) ?? {};
  return state === "R" || state === "D" || childrenOf(pid).some(isBusy);
}

/**
 * Returns whether a process with an empty environment may still get one: in the middle of `execve` it has the new program's
 * memory without an environment. The end of its code (`codeEnd`) is set first afterwards. A process started with an empty
 * environment has one of length 0.
 */
export function mayHaveEnvironment(pid: number): boolean {
  const { state = "Z", flags = 0, codeEnd, environment: [start, end] = [] } = readStat(pid) ?? {};
  const hasMemory = !isDeadState(state) && (flags & (exitingFlag | kernelThreadFlag)) === 0;
  return hasMemory && (codeEnd === "0" || start !== end);
}
