import { recordTypedCall, type TypedCall } from "@ikigai/agent/internal";
import { redact } from "@ikigai/system";
import type { CallBlock } from "../components/call-block.ts";
import { type LentEnd, lendTerminal } from "../terminal/lend-terminal.ts";
import type { Recording, RecordingPlace } from "../terminal/record-screen.ts";
import type { Tui } from "./tui.ts";

/** A user's command that gets the terminal. */
export interface InTerminal {
  readonly block: CallBlock;
  readonly command: string;
  readonly callId: string;
  readonly typed: TypedCall;
  /** Whether it stays out of the conversation. */
  readonly isApart: boolean;
}

/** A shell's exit code for a command that it cannot run. */
const shellError = 127;

/** Sent to the model instead of the output of a program that left nothing on the terminal, or where it cannot be recorded. */
const notKept = "(This program ran in the user's terminal; its output was not captured.)";

/** Runs an editor, a pager or another interactive program. Its last screen is its output. */
export async function runInTerminal(tui: Tui, { block, command, callId, typed, isApart }: InTerminal): Promise<void> {
  const { conversation, env, places, overflowDir, secrets } = tui.session.agent;
  const recording = isApart ? undefined : await recordingOf(command, { env, ...places, directory: overflowDir });
  const end = await runInForeground(tui, recording?.command ?? [command], recording?.env);
  const { exitCode = shellError, durationMs } = end;
  const { printed = "", full = "" } = recording?.take(tui.surface) ?? {};
  const result = (output: string) => ({ output: redact(output, secrets), exit_code: exitCode });
  const kept = { tool_success: true, result: result([printed, full].filter(Boolean).join("\n") || notKept) } as const;
  if (!isApart) recordTypedCall(conversation, typed, callId, { json: JSON.stringify(kept), durationMs });
  // What it printed is still above; a full screen is gone.
  const shown = { tool_success: true, result: result(full) } as const;
  block.ended({ name: typed.name, envelope: shown, durationMs, notes: [] });
  if (!isApart)
    tui.addRecord({ ...block.recorded(), result: { name: typed.name, envelope: kept, durationMs, notes: [] } });
}

/** Undefined if it cannot be recorded: the program then runs without a record. */
async function recordingOf(command: string, place: RecordingPlace): Promise<Recording | undefined> {
  const { recordScreen } = await import("../terminal/record-screen.ts");
  try {
    return recordScreen(command, place);
  } catch {
    return undefined;
  }
}

/** Runs a shell command in the project with the terminal. Closes an open viewer. */
export function runInForeground(
  tui: Tui,
  command: readonly [string, ...string[]],
  env = tui.session.agent.env,
): Promise<LentEnd> {
  const { places } = tui.session.agent;
  return lendTerminal(tui.surface, { command, cwd: places.projectDir, env, begin: () => tui.viewer?.close() });
}

/** Programs that are interactive whatever their arguments. */
const always = new Set(
  (
    "vi vim nvim view vimdiff nano pico emacs emacsclient hx helix micro joe kak ed less more most man info " +
    "top htop btop atop watch tmux screen mc ranger nnn lf vifm tig lazygit gitui fzf gum dialog whiptail " +
    "sudo su doas passwd ssh mosh telnet ftp sftp gdb lldb pdb psql mysql mariadb redis-cli mongosh crontab visudo vipw"
  ).split(" "),
);

/** Programs that are interactive without arguments. */
const alone = new Set(
  "python python3 ipython node bun deno irb ghci lua luajit R julia sqlite3 bash sh zsh fish bc".split(" "),
);

/** Interactive git commands. */
const asking =
  /^git\s+(?:\S+\s+)*?(?:(?:add|checkout|reset|restore|stash|commit)\s.*(?:-p|--patch|-i|--interactive)\b|rebase\s.*(?:-i|--interactive)\b)/;
const writingMessage = /^git\s+commit\b(?!.*(?:\s-\w*[mFC]|--message|--file|--no-edit|--reuse-message|--fixup))/;

/** Commands that ask for a key, a password or a choice. */
const askingUser =
  /^(?:(?:ikigai|npx\s+@ikigai\/cli)\s+(?:setup|login|init|trust|config\s+edit|mcp\s+(?:add|login)|tool\s+(?:add|new))|(?:npm|pnpm|yarn|bun)\s+(?:login|adduser|init|create)|gh\s+auth|docker\s+login|ssh-keygen|gpg)\b(?!.*(?:\s-y\b|--yes\b|--help\b))/;

const begin = /^(?:(?:[A-Za-z_]\w*=\S*|env|exec|command|time|nohup|nice)\s+)*/;

/**
 * Whether a user's command needs a terminal, guessed from the program of each part. Programs that are not listed run without
 * one, and their output is captured.
 */
export function wantsTerminal(command: string): boolean {
  const unquoted = command.replace(/'[^']*'|"(?:[^"\\]|\\.)*"/g, "x");
  return unquoted.split(/\|\||&&|[|;&\n]/).some((part) => {
    const call = part.trim().replace(begin, "");
    const [program = "", ...args] = call.split(/\s+/);
    const name = program.slice(program.lastIndexOf("/") + 1);
    if (always.has(name)) return !args.some((arg) => arg === "--version" || arg === "--help");
    return (
      (alone.has(name) && args.length === 0) ||
      [asking, writingMessage, askingUser].some((pattern) => pattern.test(call))
    );
  });
}
