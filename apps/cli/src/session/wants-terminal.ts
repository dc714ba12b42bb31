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
