import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import { childStdio } from "@ikigai/core/internal";
import { beforeExit } from "@ikigai/system";
import { onInterrupt } from "../../host/signals.ts";
import type { Surface } from "./surface.ts";
import { giveTerminalBack, takeTerminal } from "./terminal-state.ts";

/** How a program ended that had the terminal. */
export interface LentEnd {
  /** Its exit code; 128 and more for a signal. Undefined when it could not be started. */
  readonly exitCode: number | undefined;
  readonly durationMs: number;
}

/** What the program gets besides the terminal. */
export interface LentTo {
  /** The shell command, and its operands. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Is called when the terminal is free, before the program gets it. */
  readonly begin: () => void;
}

/** What a shell adds to the number of a signal. */
const signalCode = 128;

/** There is one terminal: who wants it next waits. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Lets a shell command have the terminal until it ends. Our own work goes on meanwhile: nothing of it is drawn, and Ctrl-C is
 * the program's.
 */
export function lendTerminal(surface: Surface, to: LentTo): Promise<LentEnd> {
  const lent = last.then(() => lend(surface, to));
  last = lent.catch(() => {});
  return lent;
}

async function lend(surface: Surface, to: LentTo): Promise<LentEnd> {
  const startedMs = performance.now();
  to.begin();
  surface.hide();
  process.stdin.pause();
  giveTerminalBack();
  const resume = onInterrupt(() => {});
  let leave = () => {};
  try {
    const child = startShell(to);
    leave = beforeExit(() => void child?.kill("SIGHUP"));
    const exitCode = await new Promise<number | undefined>((settle) => {
      if (!child) return settle(undefined);
      child.once("error", () => settle(undefined));
      child.once("exit", (code, signal) => settle(code ?? signalCode + (signal ? constants.signals[signal] : 0)));
    });
    return { exitCode, durationMs: performance.now() - startedMs };
  } finally {
    leave();
    resume();
    takeTerminal();
    process.stdin.resume();
    surface.show();
  }
}

/** Node tells of some errors at once: of a command that is too long, or has a NUL, and of no memory. */
function startShell({ command: [script, ...args], cwd, env }: LentTo): ChildProcess | undefined {
  try {
    return spawn("/bin/sh", ["-c", script, "sh", ...args], {
      stdio: childStdio("inherit", "inherit", "inherit"),
      cwd,
      env,
    });
  } catch {
    return undefined;
  }
}

/** Stops the whole job, as it would stop if the terminal had seen the key: `npm start` as well. */
export function suspend(surface: Surface): void {
  surface.hide();
  giveTerminalBack();
  const resume = () => {
    process.off("SIGCONT", resume);
    takeTerminal();
    surface.show();
  };
  process.on("SIGCONT", resume);
  process.kill(0, "SIGTSTP");
  // A job that nobody could continue does not stop.
  setImmediate(resume);
}
