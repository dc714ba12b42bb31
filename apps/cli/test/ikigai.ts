import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { inject, onTestFinished } from "vitest";

/** The built command. */
export const bin = fileURLToPath(new URL("../dist/ikigai.js", import.meta.url));

const namespace = ["unshare", "--fork", "--pid", "--mount-proc", "--kill-child"] as const;

/** Runs a program so that it sees no other process of the machine, if the user may do that. */
export const alone: readonly string[] =
  spawnSync("unshare", [...namespace.slice(1), "true"]).status === 0 ? namespace : [];

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Piped input; none by default. */
  readonly stdin?: string | Buffer;
  /** Lines typed on a terminal, which stdin then is; stdout and stderr are pipes as always. */
  readonly typed?: string;
  /** A program to run it with, for example a tracer with its options. */
  readonly launcher?: readonly string[];
  /** Called with the process once it runs. */
  readonly whileRunning?: (child: RunningIkigai) => Promise<void>;
}

export interface RunningIkigai {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  kill(signal: NodeJS.Signals): void;
}

export interface RunEnd {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An environment independent of the user who runs the tests: no keys, no home, no Ollama. */
export async function cleanEnv(home?: string): Promise<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? "",
    HOME: home ?? (await tempDir()),
    TERM: "xterm-256color",
    OLLAMA_HOST: "127.0.0.1:9",
    // Node 20 reads them at every start, which takes longer than the rest of the start.
    NODE_EXTRA_CA_CERTS: "",
  };
}

/**
 * The arguments of a conversation that starts in the mode `ask`, unless they, or the configuration, name another one: most tests are about
 * its questions. Without this, it is `auto` where the sandbox works.
 */
export function asking(args: readonly string[], env: RunOptions["env"] = {}): readonly string[] {
  const { HOME = "", IKIGAI_HOME = join(HOME, ".ikigai") } = env;
  const config = join(IKIGAI_HOME, "config.json");
  const isConfigured = existsSync(config) && statSync(config).isFile() && /"mode"/.test(readFileSync(config, "utf8"));
  return isConfigured || args.includes("--permission-mode") ? args : ["--permission-mode", "ask", ...args];
}

/** Runs ikigai without a terminal until it exits. */
export async function ikigai(args: readonly string[], options: RunOptions = {}): Promise<RunEnd> {
  if (options.typed !== undefined) return typeLines(args, options, options.typed);
  const { cwd, env, stdin, launcher = [], whileRunning } = options;
  const [program = "", ...rest] = [...launcher, process.execPath, bin, ...args];
  const fullEnv: Record<string, string | undefined> = { ...(await cleanEnv()), ...env };
  const child = spawn(program, rest, {
    cwd: cwd ?? (await tempDir()),
    env: fullEnv,
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    detached: true,
  });
  // A test that times out leaves no process behind.
  onTestFinished(() => void child.kill("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  child.stdin?.on("error", () => {}).end(stdin);
  const ended = new Promise<number>((settle) => {
    child.once("close", (code, signal) => settle(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  await whileRunning?.({
    pid: child.pid ?? 0,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    kill: (signal) => void child.kill(signal),
  });
  return { exitCode: await ended, ...output };
}

/** Types lines into the REPL, whose output goes to files: `script` gives it a terminal as stdin only. */
async function typeLines(args: readonly string[], options: RunOptions, typed: string): Promise<RunEnd> {
  const { cwd, env, launcher = [] } = options;
  const directory = await tempDir();
  const output = (name: string) => join(directory, name);
  const isSubcommand = args[0] !== undefined && !args[0].startsWith("-");
  const own = isSubcommand ? args : asking(args, env);
  const command = [...launcher, process.execPath, bin, ...own].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const redirected = `exec ${command.join(" ")} >'${output("stdout")}' 2>'${output("stderr")}'`;
  const child = spawn("script", ["--quiet", "--return", "--flush", "--command", redirected, "/dev/null"], {
    cwd: cwd ?? (await tempDir()),
    env: { ...(await cleanEnv()), ...env },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => {}).end(typed.endsWith("\n") ? typed : `${typed}\n`);
  const exitCode = await new Promise<number>((settle) => child.once("close", (code) => settle(code ?? 1)));
  const read = (name: string) => readFileSync(output(name), "utf8");
  return { exitCode, stdout: read("stdout"), stderr: read("stderr") };
}

/** Every nth of these cases; all of them in `npm run test:slow`. */
export function some<const Case>(nth: number, cases: readonly Case[]): readonly Case[] {
  return inject("isThorough") ? cases : cases.filter((_, index) => index % nth === 0);
}

/** Waits until a condition holds. */
export async function until(isTrue: () => boolean, what: string, timeoutMs = 60_000): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  while (!isTrue()) {
    if (performance.now() > endMs) throw new Error(`Waited ${timeoutMs} ms for ${what}`);
    await new Promise((settle) => setTimeout(settle, 10));
  }
}
