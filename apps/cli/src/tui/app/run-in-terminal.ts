import { recordTypedCall, type TypedCall } from "@ikigai/agent/internal";
import type { CallBlock } from "../components/call-block.ts";
import { type LentEnd, lendTerminal } from "../terminal/lend-terminal.ts";
import type { Tui } from "./tui.ts";

/** A command of the user's that gets the terminal. */
export interface InTerminal {
  readonly block: CallBlock;
  readonly command: string;
  readonly callId: string;
  readonly typed: TypedCall;
  /** The model is told nothing of it. */
  readonly isApart: boolean;
}

/** What a shell exits with when it cannot run a command. */
const shellError = 127;

/** What the model reads in place of the output, which only the user has seen. */
const notKept = "(This program ran in the user's terminal; its output was not captured.)";

/** Runs an editor, a pager or whatever else wants a terminal, and shows how it ended. */
export async function runInTerminal(tui: Tui, { block, command, callId, typed, isApart }: InTerminal): Promise<void> {
  const { conversation } = tui.session.agent;
  const { exitCode = shellError, durationMs } = await runInForeground(tui, [command]);
  const answer = { output: notKept, exit_code: exitCode };
  const json = JSON.stringify({ tool_success: true, result: answer });
  if (!isApart) recordTypedCall(conversation, typed, callId, { json, durationMs });
  // The user was there: how it ended is enough.
  const shown = { tool_success: true, result: { output: "", exit_code: exitCode } } as const;
  block.ended({ name: typed.name, envelope: shown, durationMs, notes: [] });
}

/** Runs a shell command that gets the terminal, in the project. A viewer that is open closes. */
export function runInForeground(tui: Tui, command: readonly [string, ...string[]]): Promise<LentEnd> {
  const { env, places } = tui.session.agent;
  return lendTerminal(tui.surface, { command, cwd: places.projectDir, env, begin: () => tui.viewer?.close() });
}

/** Programs that fill the screen, ask for a password or talk with the user, whatever their arguments. */
const always = new Set(
  (
    "vi vim nvim view vimdiff nano pico emacs emacsclient hx helix micro joe kak ed less more most man info " +
    "top htop btop atop watch tmux screen mc ranger nnn lf vifm tig lazygit gitui fzf gum dialog whiptail " +
    "sudo su doas passwd ssh mosh telnet ftp sftp gdb lldb pdb psql mysql mariadb redis-cli mongosh crontab visudo vipw"
  ).split(" "),
);

/** Programs that do when they are not told what to run. */
const alone = new Set(
  "python python3 ipython node bun deno irb ghci lua luajit R julia sqlite3 bash sh zsh fish bc".split(" "),
);

/** What of git asks. */
const asking =
  /^git\s+(?:\S+\s+)*?(?:(?:add|checkout|reset|restore|stash|commit)\s.*(?:-p|--patch|-i|--interactive)\b|rebase\s.*(?:-i|--interactive)\b)/;
const writingMessage = /^git\s+commit\b(?!.*(?:\s-\w*[mFC]|--message|--file|--no-edit|--reuse-message|--fixup))/;

const begin = /^(?:(?:[A-Za-z_]\w*=\S*|env|exec|command|time|nohup|nice)\s+)*/;

/**
 * Whether a command of the user's needs a terminal, by the programs that its parts begin with. A guess: what is not listed
 * runs without one, and its output is kept.
 */
export function wantsTerminal(command: string): boolean {
  const unquoted = command.replace(/'[^']*'|"(?:[^"\\]|\\.)*"/g, "x");
  return unquoted.split(/\|\||&&|[|;&\n]/).some((part) => {
    const call = part.trim().replace(begin, "");
    const [program = "", ...args] = call.split(/\s+/);
    const name = program.slice(program.lastIndexOf("/") + 1);
    if (always.has(name)) return !args.some((arg) => arg === "--version" || arg === "--help");
    return (alone.has(name) && args.length === 0) || asking.test(call) || writingMessage.test(call);
  });
}
