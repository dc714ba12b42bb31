import { constants } from "node:os";
import { giveTerminalBack, type Surface, takeTerminal } from "@ikigai/screen";
import { beforeExit, startProgram } from "@ikigai/system";
import { onInterrupt } from "../../host/terminal/exit.ts";

/** How a program that had the terminal ended. */
export interface LentEnd {
  /** Its exit code, or 128 plus the signal's number. Undefined if it could not be started. */
  readonly exitCode: number | undefined;
  readonly durationMs: number;
}

/** The program that gets the terminal. */
interface LentTo {
  /** The path of the shell. Default: `/bin/sh`. */
  readonly shell?: string;
  /** The command for it, and its operands. */
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Called when the terminal is free, before the program gets it. */
  readonly begin: () => void;
}

/** Added to a signal's number, as shells do. */
const signalCode = 128;

/** The last program that asked for the terminal; the next one waits for it. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Lends the terminal to a shell command until it exits. A running turn continues meanwhile: nothing is drawn, and Ctrl-C goes
 * to the command.
 */
export function lendTerminal(surface: Surface, to: LentTo): Promise<LentEnd> {
  const lent = last.then(() => lend(surface, to));
  last = lent.catch(() => {});
  return lent;
}

/** Resolves when no program has the terminal. */
export async function whenNotLent(): Promise<void> {
  await last;
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

/** Starts the command; undefined if Node throws: the command is too long or contains a NUL, or there is no memory. */
function startShell({ shell = "/bin/sh", command: [script, ...args], cwd, env }: LentTo) {
  try {
    return startProgram(shell, ["-c", script, "sh", ...args], { cwd, env }, "inherit", "inherit", "inherit");
  } catch {
    return undefined;
  }
}

/** Suspends the whole process group, as the terminal does on Ctrl-Z: `npm start` as well. */
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
  // An orphaned process group does not stop, so no SIGCONT follows.
  setImmediate(resume);
}
