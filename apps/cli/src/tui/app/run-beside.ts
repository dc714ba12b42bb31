import { programEnvironment, startProgram } from "@ikigai/core/internal";
import { beforeExit, redact, signalGroup } from "@ikigai/system";
import { sanitiseLine } from "../../render/sanitise.ts";
import type { Tui } from "./tui.ts";

/** How long a notifier may take, in milliseconds. */
const notifyMs = 10_000;

/** Runs the command of `screen.notify` with the text as its last argument. Its output is dropped; a failure is a hint. */
export async function runNotifier(tui: Tui, command: string, text: string): Promise<void> {
  const { exitCode } = await runBeside(tui, command, { args: [text], timeoutMs: notifyMs });
  if (exitCode !== 0) tui.showHint(`The command of screen.notify failed: ${sanitiseLine(command)}`);
}

interface BesideOptions {
  readonly args?: readonly string[];
  /** What it reads from stdin. */
  readonly input?: string;
  readonly timeoutMs: number;
}

/** What a command printed, and its exit code; undefined if it could not be started, was killed or took too long. */
interface BesideEnd {
  readonly exitCode: number | undefined;
  readonly output: string;
}

/** Read from a command at most, in characters. */
const maxOutput = 8_192;

/**
 * Runs a shell command of the user's configuration without the terminal and without ikigai's keys, in the user's home directory, so
 * that no name in it can be a program of the project. When it ends, after the time limit and when ikigai quits, everything that it
 * has started is killed. Never rejects.
 */
export function runBeside({ session }: Tui, command: string, options: BesideOptions): Promise<BesideEnd> {
  const { env, places, secrets } = session.agent;
  const { args = [], input = "", timeoutMs } = options;
  const own = Object.entries(programEnvironment(env, places.projectDir)).filter(
    ([, value = ""]) => redact(value, secrets) === value,
  );
  return new Promise((settle) => {
    let output = "";
    try {
      const script = args.length === 0 ? command : `${command} "$@"`;
      const options = { cwd: places.userHome, env: Object.fromEntries(own), detached: true };
      const child = startProgram("/bin/sh", ["-c", script, "sh", ...args], options, "pipe", "pipe", "ignore");
      const end = (exitCode: number | undefined) => {
        leave();
        clearTimeout(timer);
        // What it has left running goes too.
        if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
        child.stdout?.destroy();
        settle({ exitCode, output });
      };
      const timer = setTimeout(() => end(undefined), timeoutMs);
      const leave = beforeExit(async () => end(undefined));
      child.stdin?.on("error", () => {}).end(input);
      child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
        output = (output + chunk).slice(0, maxOutput);
      });
      child.once("error", () => end(undefined));
      // The rest of its output is read first.
      child.once("exit", (code) => setImmediate(() => end(code ?? undefined)));
      child.unref();
    } catch {
      settle({ exitCode: undefined, output });
    }
  });
}
