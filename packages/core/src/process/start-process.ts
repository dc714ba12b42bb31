import { type ChildProcess, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { explainStartFailure } from "./explain-start-failure.ts";

/** A process that leads its own group, has no terminal and inherits no descriptor. */
export interface StartedProcess {
  readonly started: true;
  /** Also the number of its group. */
  readonly pid: number;
  readonly child: ChildProcess;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Descriptor 3, when it was asked for. */
  readonly progress: Readable | null;
}

export interface NotStarted {
  readonly started: false;
  /** The system's reason, as a person would say it. */
  readonly reason: string;
}

export interface StartOptions {
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Whether it is given stdin and the progress descriptor; otherwise stdin is empty. */
  readonly forCall: boolean;
}

/** What passes in a moment: somebody still writes the file. */
const passingErrors = new Set(["ETXTBSY"]);
const maxTries = 4;
const pauseMs = 50;

/** Starts a program. Whatever goes wrong comes back as a reason: Node throws some errors, and emits others. */
export async function startProcess(path: string, options: StartOptions): Promise<StartedProcess | NotStarted> {
  for (let tries = 1; ; tries++) {
    const result = await tryToStart(path, options);
    if (!(result instanceof Error)) return result;
    const { code = "" } = result as NodeJS.ErrnoException;
    if (tries < maxTries && passingErrors.has(code)) await sleep(pauseMs);
    else return { started: false, reason: explainStartFailure(path, options.cwd, result) };
  }
}

async function tryToStart(path: string, { args = [], cwd, env, forCall }: StartOptions): Promise<StartedProcess | Error> {
  let child: ChildProcess;
  try {
    child = spawn(path, args, {
      cwd,
      env,
      // A session of its own: no terminal to write escapes to, and one signal reaches everything it starts.
      detached: true,
      stdio: forCall ? ["pipe", "pipe", "pipe", "pipe"] : ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    return error as Error;
  }
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined || !stdout || !stderr) return new Promise((settle) => child.once("error", settle));
  const progress = (child.stdio[3] as Readable | null | undefined) ?? null;
  // A tool may close any of these early; that is its own affair, and an unheard error would end the host.
  for (const stream of [child, stdin, stdout, stderr, progress]) stream?.on("error", () => {});
  return { started: true, pid, child, stdin, stdout, stderr, progress };
}
