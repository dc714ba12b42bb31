import type { Agent } from "../host/open-agent.ts";

/**
 * The arguments of bash for a command that the user typed after `!`. One that ends in `&` runs in the background, as a shell does it:
 * otherwise it would end with the call.
 */
export function typedArguments(typed: string): { readonly command: string; readonly background?: true } {
  const [, command] = /^([^\n]*[^&\s\\])\s*&$/.exec(typed) ?? [];
  return command === undefined ? { command: typed } : { command, background: true };
}

/** A call by the user. */
interface TypedCallPlace {
  readonly callId: string;
  readonly tool: string;
  readonly signal: AbortSignal;
}

/** Options of a call by the user: it runs in the project, without a time limit, since the user can stop it. */
export function typedCallOptions(agent: Agent, { callId, tool, signal }: TypedCallPlace) {
  const { places, rules, conversation, toolbox, env, overflowDir } = agent;
  return {
    ...rules.settingsFor(tool),
    timeoutMs: Number.MAX_SAFE_INTEGER,
    cwd: places.projectDir,
    projectDir: places.projectDir,
    sessionId: conversation.id,
    callId,
    env,
    overflowDir,
    catalog: () => toolbox.catalog(),
    signal,
    jobs: agent.jobs.ofUser,
  };
}

/** A command that the user typed after `!`; after `!!` it stays apart from the conversation. */
export function typedCommand(typed: string): { readonly command: string; readonly isApart: boolean } {
  const isApart = typed.startsWith("!!");
  return { command: typed.slice(isApart ? 2 : 1).trim(), isApart };
}

/** Programs that are interactive whatever their arguments, and those that are without any. */
const interactive = new Set(
  (
    "vi vim nvim view vimdiff nano pico emacs emacsclient hx helix micro joe kak ed less more most man info " +
    "top htop btop atop watch tmux screen mc ranger nnn lf vifm tig lazygit gitui fzf gum dialog whiptail " +
    "sudo su doas passwd ssh mosh telnet ftp sftp gdb lldb psql mysql redis-cli mongosh crontab visudo vipw"
  ).split(" "),
);
const interactiveAlone = new Set(
  "python python3 ipython node bun deno irb ghci lua R julia sqlite3 bash sh zsh fish bc".split(" "),
);

/** Logging in somewhere, and git commands that ask what to take or open an editor. */
const asking = [
  /^(?:\S+\s+){1,2}login\b/,
  /^git\s+(?:add|checkout|reset|restore|stash|commit|rebase)\s(?:.*\s)?(?:-p|--patch|-i|--interactive)\b/,
  /^git\s+commit\b(?!.*(?:\s-\w*[mFC]|--message|--file|--no-edit|--reuse-message|--fixup))/,
];

const begin = /^(?:(?:[A-Za-z_]\w*=\S*|env|exec|command|time|nohup|nice)\s+)*/;

/** Whether a command after a single `!` needs a terminal, judged by the program of each part. After `!!` every command gets it. */
export function wantsTerminal(command: string): boolean {
  const unquoted = command.replace(/'[^']*'|"(?:[^"\\]|\\.)*"/g, "x");
  return unquoted.split(/\|\||&&|[|;&\n]/).some((part) => {
    const call = part.trim().replace(begin, "");
    const [program = "", ...args] = call.split(/\s+/);
    const name = program.slice(program.lastIndexOf("/") + 1);
    if (interactive.has(name)) return !args.some((arg) => arg === "--version" || arg === "--help");
    return (interactiveAlone.has(name) && args.length === 0) || asking.some((pattern) => pattern.test(call));
  });
}
