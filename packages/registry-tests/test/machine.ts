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
  /** When it is stopped; after `installMs`, unless told. */
  readonly timeoutMs?: number;
}

export interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Somebody's account on a machine with Node and npm. */
export interface Machine {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command to its end; throws what it printed if it fails. */
  run(command: string, args?: readonly string[], options?: RunOptions): Promise<Output>;
  /** The same for a script of the shell, which stops at the first failure. */
  shell(script: string, options?: RunOptions): Promise<Output>;
}

/** How long an installation may take, in milliseconds: on a busy machine, over a slow network. What takes longer hangs. */
export const installMs = 240_000;

export interface MachineOptions {
  /** What else is installed: directories of the PATH. */
  readonly programs?: readonly string[];
  /** Environment variables besides those that every machine has. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Turns off requests to the registry that no test is about. */
const quiet = ["audit=false", "fund=false", "update-notifier=false"];

/**
 * An empty home, an empty cache, nothing installed.
 *
 * @param npmrc what `npm config set` and `npm adduser` would have written.
 */
export async function newMachine(npmrc: readonly string[], options: MachineOptions = {}): Promise<Machine> {
  const home = await tempDir();
  mkdirSync(join(home, "prefix", "bin"), { recursive: true });
  writeFileSync(join(home, ".npmrc"), [...npmrc, ...quiet, `prefix=${join(home, "prefix")}`, ""].join("\n"));
  return machineOf(home, options);
}

/** The machine with this home. */
function machineOf(home: string, { programs = [], env: more }: MachineOptions): Machine {
  const env = {
    HOME: home,
    // Where `npm install --global` puts commands, and where `pnpm add --global` does.
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

/** `npm run` puts our own commands on the PATH, which nobody else has. */
function pathOutsideOfTheRepository(): string {
  const entries = (process.env.PATH ?? "").split(delimiter);
  return entries.filter((entry) => !/node_modules|node-gyp-bin/.test(entry)).join(delimiter);
}
