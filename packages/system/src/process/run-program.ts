// Runs a program until it ends, or starts one, with only the descriptors that it is meant to have.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { constants, openSync, rmSync, unlinkSync } from "node:fs";
import { temporaryPath } from "../files/write-atomically.ts";
import { inheritedDescriptors, signalGroup } from "../platform.ts";
import { providerKeyNames } from "../text/provider-variables.ts";
import { systemReason } from "../text/words.ts";
import { beforeExit } from "./before-exit.ts";
import { explainStartFailure, pathOutsideProject } from "./find-program.ts";

/** Where the system keeps its programs. Without a PATH, or with an empty one, a program would be looked for in the working directory. */
const systemPath = "/usr/local/bin:/usr/bin:/bin";

/** The environment of the user's own programs: its PATH finds none of the project, which could pass for one, and it has no provider's key. */
export function programEnvironment(env: NodeJS.ProcessEnv, projectDir: string): NodeJS.ProcessEnv {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !providerKeyNames.includes(name)));
  return { ...kept, PATH: pathOutsideProject(env.PATH ?? "", projectDir) || systemPath };
}

/** How `startProgram` starts a program. */
interface StartOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Whose programs are not the user's. Absent for ikigai itself and for a command that the user has typed: they get `env` as it is. */
  readonly projectDir?: string | undefined;
  readonly cwd?: string;
  /** Whether it leads its own session and process group. */
  readonly detached?: boolean;
}

/**
 * Starts a program that is no tool: an editor, a browser, git. Everything that ikigai starts on its own is started here, or by `startProcess`.
 *
 * @throws the system's error for some reasons; others are emitted.
 */
export function startProgram<Stdio extends ChildDescriptor[]>(
  program: string,
  args: readonly string[],
  options: StartOptions,
  ...stdio: Stdio
): Stdio extends ["pipe", "pipe", "pipe"] ? ChildProcessWithoutNullStreams : ChildProcess;
export function startProgram(
  program: string,
  args: readonly string[],
  { env, projectDir, ...options }: StartOptions,
  ...stdio: ChildDescriptor[]
): ChildProcess {
  const own = projectDir === undefined ? env : programEnvironment(env, projectDir);
  return spawn(program, args, { ...options, env: own, stdio: childStdio(...stdio) });
}

/** A program's output and exit code. */
export interface ProgramOutput {
  /** `undefined` if it could not be started or was killed by a signal. */
  readonly exitCode: number | undefined;
  /** Why there is no exit code: the end of a sentence. */
  readonly failure?: string;
  /** Whether no such program is on the PATH. */
  readonly isMissing?: true;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** How `runProgram` runs a program. */
interface ProgramOptions extends StartOptions {
  /** What it reads from stdin. */
  readonly input?: string;
  /** Time limit in milliseconds; then SIGKILL. Absent: none. */
  readonly timeoutMs?: number;
  /** How much of each stream is kept, in bytes. */
  readonly maxBytes: number;
}

/** Runs a program until it ends; it does not outlive this process. Never rejects. */
export function runProgram(
  program: string,
  args: readonly string[],
  { input, timeoutMs, maxBytes, ...options }: ProgramOptions,
): Promise<ProgramOutput> {
  return new Promise((settle) => {
    const kept = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    let leave = () => {};
    const end = (how: Pick<ProgramOutput, "exitCode" | "failure" | "isMissing">) => {
      leave();
      settle({ ...how, stdout: Buffer.concat(kept.stdout), stderr: Buffer.concat(kept.stderr) });
    };
    const unstarted = (error: NodeJS.ErrnoException) => {
      const { cwd } = options;
      const isPath = program.includes("/");
      const failure = cwd === undefined || !isPath ? systemReason(error) : explainStartFailure(program, cwd, error);
      end({ exitCode: undefined, failure, ...(error.code === "ENOENT" && !isPath && { isMissing: true as const }) });
    };
    try {
      const child = startProgram(program, args, options, input === undefined ? "ignore" : "pipe", "pipe", "pipe");
      let isLate = false;
      const kill = (signal: NodeJS.Signals) => {
        if (options.detached && child.pid !== undefined) signalGroup(child.pid, signal);
        else child.kill(signal);
      };
      const late = () => {
        isLate = true;
        kill("SIGKILL");
      };
      const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
      const forget = beforeExit(() => kill("SIGTERM"));
      leave = () => {
        clearTimeout(timer);
        forget();
      };
      // It may end without reading.
      child.stdin?.on("error", () => {}).end(input);
      for (const name of ["stdout", "stderr"] as const) {
        let bytes = 0;
        child[name]?.on("data", (chunk: Buffer) => {
          if (bytes < maxBytes) kept[name].push(chunk.subarray(0, maxBytes - bytes));
          bytes += chunk.length;
        });
      }
      child.once("error", unstarted);
      child.once("close", (code, signal) => {
        if (code !== null) return end({ exitCode: code });
        const failure = isLate ? `it has not ended after ${(timeoutMs ?? 0) / 1_000} seconds` : `${signal} ended it`;
        end({ exitCode: undefined, failure });
      });
    } catch (error) {
      unstarted(error as NodeJS.ErrnoException);
    }
  });
}

/** A pipe, as two descriptors. */
export interface Pipe {
  /** Non-blocking. */
  readonly readEnd: number;
  readonly writeEnd: number;
}

/**
 * Opens pipes for the output of programs; none if that is impossible, for instance on a full disk.
 *
 * Node's "pipes" are socket pairs. On Linux a socket cannot be opened by path, so `echo oops > /dev/stderr`, common in scripts, would
 * fail with "No such device or address". Node cannot create a real pipe; mkfifo(1) can, under a name that is removed at once.
 *
 * Measured against sockets (node -e 0: 19.6 ms): +0.5 ms, since two sockets less make up for the process. A pipe from the shell
 * (`… | cat`) would cost 1.5 ms, and `kill 0` in the command would also kill the `cat`.
 */
export function openPipes(count: number): Pipe[] {
  // System directories first: PATH may begin with a directory of the project.
  const env = { PATH: `${systemPath}:${process.env.PATH}` };
  const paths = Array.from({ length: count }, (_, index) => temporaryPath(`pipe-${process.hrtime.bigint()}-${index}`));
  try {
    // mkfifo fails if the path exists, so the pipes are ours alone.
    const { status } = spawnSync("mkfifo", ["-m", "600", ...paths], { stdio: "ignore", env });
    if (status === 0) return paths.map(openBothEnds);
  } catch {
    // No process or descriptor available: fall back to sockets.
  }
  for (const path of paths) rmSync(path, { force: true });
  return [];
}

function openBothEnds(path: string): Pipe {
  // The reading end first: the writing end cannot be opened without a reader.
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  unlinkSync(path);
  return { readEnd, writeEnd };
}

/** One entry of Node's `stdio` option. */
export type ChildDescriptor = "pipe" | "ignore" | "inherit" | "ipc" | number;

/** Highest descriptor that is replaced: Node processes all below it, and more would cost milliseconds per start. */
const maxShadowed = 4_095;

let nothing: number | undefined;

/**
 * Builds the `stdio` for a child that gets these descriptors and no others; `"ignore"` is /dev/null. All of ikigai's processes are started with it.
 *
 * The child would also get the descriptors this process has inherited. Node can neither close them in the child nor mark them
 * there, so they are replaced by /dev/null.
 *
 * @throws Error, a sentence for people, if a descriptor is too high to be replaced.
 */
export function childStdio<T extends ChildDescriptor[]>(...own: T): T {
  // Node leaves an ignored descriptor above 2 closed: the first file that the child opens would get its number.
  const stdio = own.map((entry, number) => (entry === "ignore" && number > 2 ? nullDevice() : entry));
  for (const descriptor of inheritedDescriptors()) {
    if (descriptor < own.length) continue;
    if (descriptor > maxShadowed) throw new Error(tooHigh(descriptor));
    // Node treats a hole in the list as a pipe.
    while (stdio.length < descriptor) stdio.push("ignore");
    stdio[descriptor] = nullDevice();
  }
  return stdio as T;
}

function nullDevice(): number {
  nothing ??= openSync("/dev/null", "r+");
  return nothing;
}

function tooHigh(descriptor: number): string {
  return `this process was started with descriptor ${descriptor} open, which its children would inherit; close it at the start (${descriptor}<&-), or use a number up to ${maxShadowed}`;
}
