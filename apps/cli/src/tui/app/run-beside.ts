// Commands of the user's configuration that run without the terminal: the notifier, and the one that writes the status line.

import { sanitiseLine, withoutLooks } from "@ikigai/screen";
import { contextSize } from "@ikigai/session";
import { beforeExit, programEnvironment, redact, signalGroup, startProgram } from "@ikigai/system";
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
function runBeside({ session }: Tui, command: string, options: BesideOptions): Promise<BesideEnd> {
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

/** How long the command may take, in milliseconds. */
const timeoutMs = 2_000;

/**
 * Runs the command of `screen.status` and shows its first line. It gets facts about the session as JSON on stdin. One runs at a time:
 * if it is wanted again meanwhile, it runs once more afterwards.
 */
export async function updateStatus(tui: Tui): Promise<void> {
  const command = tui.session.agent.config.screen?.status;
  if (command === undefined) return;
  const { statusRun: run } = tui;
  if (run.isRunning) {
    run.isDue = true;
    return;
  }
  run.isRunning = true;
  do {
    run.isDue = false;
    const { exitCode, output } = await runBeside(tui, command, { input: `${JSON.stringify(facts(tui))}\n`, timeoutMs });
    tui.setStatus(exitCode === 0 ? sanitiseLine(withoutLooks(output.split("\n")[0] ?? "")) : undefined);
    if (exitCode !== 0) tui.showHint(`The command of screen.status failed or took longer than ${timeoutMs} ms.`);
  } while (run.isDue);
  run.isRunning = false;
}

/** What the command gets. */
function facts({ session, branch, context }: Tui) {
  const { agent, model } = session;
  const { conversation, places, permission } = agent;
  const { inputTokens, outputTokens } = conversation.usage;
  const known = agent.models.of(model.id);
  return {
    session: conversation.id,
    directory: places.projectDir,
    branch,
    model: model.id,
    mode: permission.mode,
    tokens: { input: inputTokens, output: outputTokens },
    context: { tokens: contextSize(conversation, context), window: known?.contextWindow },
    cost: known?.cost(conversation.usage),
  };
}
