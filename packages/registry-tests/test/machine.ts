import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { tempDir } from "@ikigai/testing";

const execute = promisify(execFile);

export interface RunOptions {
  readonly cwd?: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Time limit in milliseconds; `installMs` by default. */
  readonly timeoutMs?: number;
}

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** A user account on a machine with Node and npm. */
export interface Machine {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command until it exits; throws its output if it fails. */
  run(command: string, args?: readonly string[], options?: RunOptions): Promise<Output>;
  /** Runs a shell script, which stops at the first failure. */
  shell(script: string, options?: RunOptions): Promise<Output>;
}

/** Time limit of an installation on a busy machine and a slow network, in milliseconds. */
export const installMs = 240_000;

export interface MachineOptions {
  /** Other installed programs: directories for PATH. */
  readonly programs?: readonly string[];
  /** Environment variables in addition to those of every machine. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Turns off requests to the registry that no test needs. */
const quiet = ["audit=false", "fund=false", "update-notifier=false"];

/** npm waits ten seconds before it repeats a request, and five minutes for an answer; sometimes it hangs then. */
const impatient = ["fetch-retry-mintimeout=200", "fetch-timeout=30000"];

/**
 * Creates a machine with an empty home and an empty cache, and nothing installed.
 *
 * @param npmrc the lines that `npm config set` and `npm adduser` would have written.
 */
export async function newMachine(npmrc: readonly string[], options: MachineOptions = {}): Promise<Machine> {
  const home = await tempDir();
  mkdirSync(join(home, "prefix", "bin"), { recursive: true });
  writeFileSync(
    join(home, ".npmrc"),
    [...npmrc, ...quiet, ...impatient, `prefix=${join(home, "prefix")}`, ""].join("\n"),
  );
  return machineOf(home, options);
}

/** Returns the machine with this home. */
function machineOf(home: string, { programs = [], env: more }: MachineOptions): Machine {
  const env = {
    HOME: home,
    // The directories of global commands of npm and of pnpm.
    PATH: [join(home, "prefix", "bin"), join(home, "pnpm", "bin"), ...programs, pathOutsideOfTheRepository()].join(
      delimiter,
    ),
    PNPM_HOME: join(home, "pnpm"),
    TERM: "xterm-256color",
    OLLAMA_HOST: "127.0.0.1:9",
    ...more,
  };
  const run: Machine["run"] = async (
    command,
    args = [],
    { cwd = home, stdin, env: added, timeoutMs = installMs } = {},
  ) => {
    const running = execute(command, [...args], { cwd, env: { ...env, ...added }, timeout: timeoutMs });
    running.child.stdin?.on("error", () => {}).end(stdin);
    return running.catch((error: Error & Output) => {
      throw new Error(`${error.message}\n${error.stdout}`);
    });
  };
  return { home, env, run, shell: (script, options) => run("sh", ["-ec", script], options) };
}

/** Returns PATH without our own commands, which `npm run` adds. */
function pathOutsideOfTheRepository(): string {
  const entries = (process.env.PATH ?? "").split(delimiter);
  return entries.filter((entry) => !/node_modules|node-gyp-bin/.test(entry)).join(delimiter);
}
