import { type ChildProcess, spawn } from "node:child_process";
import { isatty } from "node:tty";
import { childStdio, pathOutsideProject } from "@ikigai/core/internal";
import { beforeExit } from "@ikigai/system";
import { Refusal } from "./refusal.ts";

/** How a program ended. */
export interface ProgramEnd {
  /** Also when a signal ended it, then 128. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How much of each stream is kept, in characters; what a registry or git says of a failure is far less. */
const maxKeptLength = 1_048_576;

/**
 * Runs one of the user's own programs (npm, git, go) to its end: never one that the project calls so. It ends with us.
 *
 * @throws Refusal when it is not installed.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<ProgramEnd> {
  // Where somebody may be asked for a password it shares their terminal, and so their Ctrl-C; elsewhere it has a group.
  const detached = !(isatty(0) && isatty(2));
  // An empty one would mean the directory that it works in.
  const own = { ...env, PATH: pathOutsideProject(env.PATH ?? "", process.cwd()) || "/" };
  const child = spawn(program, args, { cwd, env: own, stdio: childStdio("ignore", "pipe", "pipe"), detached });
  const leave = beforeExit(() => stop(child, detached));
  const kept = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      if (kept[name].length < maxKeptLength) kept[name] += text;
    });
  }
  try {
    const exitCode = await new Promise<number>((settle, fail) => {
      child.once("error", fail);
      child.once("close", (code) => settle(code ?? 128));
    });
    return { exitCode, ...kept };
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT") throw error;
    throw new Refusal(`Expected ${program} on the PATH, found none. Install it and try again.`);
  } finally {
    leave();
  }
}

/** Ends a program, and in a group of its own what it has started: git has others do its fetching. */
function stop(child: ChildProcess, isGroup: boolean): void {
  if (child.pid === undefined) return;
  try {
    process.kill(isGroup ? -child.pid : child.pid);
  } catch {
    // It has ended.
  }
}
