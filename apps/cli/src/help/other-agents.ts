// Words of other agents (commands, options, slash commands, modes) with what to type here: first the table, then how it is searched.

import { type PermissionMode, permissionModes } from "@ikigai/agent/permission-modes";
import { nearestWord } from "@ikigai/system";
import { issueTracker } from "./links.ts";

/**
 * The commonest commands, options and slash commands of Claude Code, Codex, Gemini CLI, opencode and pi that ikigai lacks, and what
 * to type instead. No aliases: most differ in what they allow. A command of a group stands after the group: `mcp get`. Answers are
 * sentences of which the last has no period if it ends with a command.
 */
const table: readonly (readonly [words: readonly string[], answer: string])[] = [
  [["exec", "run", "ask", "--prompt"], 'To run one task and print the answer: ikigai -p "PROMPT"'],
  [["chat", "-i", "--prompt-interactive"], 'To start a conversation: ikigai, or ikigai "PROMPT"'],
  [
    ["resume", "--session", "--session-id", "--last"],
    "To choose a session: ikigai --resume. To continue the last one: ikigai --continue",
  ],
  [["status"], "This is a command of a conversation: start ikigai and type /status"],
  [["usage", "stats"], "To see what sessions cost: ikigai cost"],
  [["compact", "permissions"], "This is for a conversation: start ikigai and type it after a /"],
  [["export"], "To write a session to a file: ikigai sessions export ID"],
  [["review"], 'To have changes reviewed: ikigai -p "Review the changes in git diff"'],
  [
    ["update", "install"],
    "To update ikigai: ikigai upgrade. To add or update tools: ikigai tool add SOURCE, ikigai tool update",
  ],
  [
    ["settings", "--config", "--settings"],
    "To change a setting: ikigai config set KEY VALUE. The settings: ikigai help config",
  ],
  [["auth", "setup-token", "--api-key"], "To store an API key: ikigai login PROVIDER"],
  [
    ["/connect", "/setup"],
    "To use a provider: /login. To choose provider and model step by step, in a shell: ikigai setup",
  ],
  [["web", "attach"], "To see a session in a browser: ikigai sessions export SESSION FILE --html"],
  [["apply"], "ikigai edits files as it works. To see what it changed: /changes. To take that back: ikigai undo"],
  [["fork"], "To continue a copy of a session: ikigai --continue --fork, or ikigai --resume SESSION --fork"],
  [["/logout"], "To remove an API key or a sign-in, in a shell: ikigai logout PROVIDER"],
  [
    ["agents", "agent", "--agent", "--agents"],
    "Agents are files in ~/.ikigai/agents, and the model starts them: ikigai help agents",
  ],
  [["skills", "skill"], "Skills are directories with a SKILL.md in ~/.ikigai/skills: ikigai help skills"],
  [
    ["plugin", "plugins", "extensions", "/plugin", "/plugins", "/extensions"],
    "Tools take the place of plugins. To add some, in a shell: ikigai tool add SOURCE",
  ],
  [["hooks", "/hooks"], "Hooks are executable files in ~/.ikigai/hooks. To list them, in a shell: ikigai hook list"],
  [
    ["serve", "server", "--port"],
    "To serve an editor: ikigai acp. To serve tools: ikigai mcp serve. For programs: -p with --output-format stream-json",
  ],
  [
    [
      "--yolo",
      "-y",
      "--dangerously-skip-permissions",
      "--dangerously-bypass-approvals-and-sandbox",
      "--full-auto",
      "/yolo",
    ],
    "To run calls without asking: ikigai --permission-mode allow (deny rules still apply). To limit what tools can change, add --sandbox",
  ],
  [
    ["--approval-mode", "--ask-for-approval", "-a", "--mode", "/mode", "/plan"],
    "To choose what runs without asking: Shift-Tab or /permissions MODE, or start with --permission-mode MODE",
  ],
  [
    ["--allowedTools", "--allowed-tools", "--tools"],
    'To allow calls without asking: --allow "bash(npm test*)", once for each rule',
  ],
  [
    ["--disallowedTools", "--disallowed-tools"],
    "To deny calls, add a rule: /permissions in a conversation. More: ikigai help permissions",
  ],
  [
    ["--system-prompt", "--append-system-prompt", "/output-style"],
    "Put instructions in AGENTS.md. More: ikigai help instructions",
  ],
  [["--json", "--format", "-o"], "For JSON: ikigai -p with --output-format json or stream-json"],
  [["--image", "--file", "-f", "/mention", "/files"], 'Name a file with @, an image too: "explain @src/main.ts"'],
  [
    ["--effort", "--thinking", "--reasoning-effort", "/fast"],
    "To set how much the model thinks: /thinking in a conversation.",
  ],
  [["--mcp-config"], "To use the MCP servers in a file: --mcp FILE. To add one: ikigai mcp add NAME -- COMMAND"],
  [["--search"], "web_search needs a search service: ikigai help web"],
  [
    ["--debug", "--verbose", "-d", "/bug", "/feedback"],
    `To check the setup: ikigai doctor. Report problems at ${issueTracker}`,
  ],
  [
    ["mcp --transport", "mcp -t", "mcp --url", "mcp add-json", "mcp install"],
    "To add a server: ikigai mcp add NAME URL, or ikigai mcp add NAME -- COMMAND, or ikigai mcp add --from FILE",
  ],
  [
    ["mcp --scope", "mcp -s"],
    "A server is added for all directories (--scope user), or with --here for this one (--scope local).",
  ],
  [["mcp -e"], "To set a variable of the server: --env KEY=VALUE"],
  [["mcp -H"], "To send a header to a remote server: --header KEY:VALUE"],
  [
    ["mcp get", "mcp show", "mcp ls"],
    "To list the servers: ikigai mcp list. To start one and see its tools: ikigai mcp test NAME",
  ],
  [["mcp rm", "mcp delete", "mcp uninstall"], "To remove a server: ikigai mcp remove NAME"],
  [
    ["mcp disable", "mcp enable"],
    'A rule can deny its calls: { "deny": "mcp__NAME__*" } (ikigai help permissions). To remove it: ikigai mcp remove NAME',
  ],
  [["config list", "config show", "config ls"], "To print the settings: ikigai config get"],
  [["config rm", "config remove", "config delete"], "To remove a setting: ikigai config unset KEY"],
  [
    ["tool install", "tool rm", "tool uninstall", "tool ls", "tool create"],
    "The commands for tools: ikigai tool list, add, update, remove, new",
  ],
  [["/theme", "/themes"], "In a shell: ikigai config set screen.theme dark (or light, auto). It applies at once."],
  [["/statusline"], "In a shell: ikigai config set screen.status COMMAND, then restart ikigai"],
  [["/vim", "/editor"], "The input line has Emacs keys; Ctrl-G on the full screen opens the message in $EDITOR."],
  [["/keybindings", "/keymap", "/hotkeys"], "~/.ikigai/keys.json changes the keys: ikigai help keys"],
  [
    ["/review", "/security-review", "/prompts"],
    "A file can do this: ~/.ikigai/commands/review.md becomes /review. More: ikigai help commands",
  ],
  [["/redo"], "Right after a rewind: /rewind back. /fork before it keeps both."],
  [["/chat", "/save", "/history"], "Sessions are saved as they go: ikigai --resume lists them."],
  [["/share"], "To write a page to send, without keys, home paths and hosts, in a shell: ikigai sessions share ID"],
  [["/upgrade", "/update", "/release-notes"], "In a shell: ikigai upgrade says how to update ikigai."],
  [["/sandbox"], "In a shell: ikigai --sandbox. More: ikigai help sandbox"],
  [["/ide"], "In an editor: ikigai acp. More: ikigai help editors"],
];

const answers: ReadonlyMap<string, string> = new Map(
  table.flatMap(([words, answer]) => words.map((word) => [word, answer])),
);

/** All of these words. */
export const otherWords: readonly string[] = [...answers.keys()];

/** What to type instead of a command, an option or a slash command of another agent. */
export function otherAnswer(words: string): string | undefined {
  return answers.get(words);
}

/** What other agents call the modes; compared without case, spaces, `-` and `_`. */
const otherModes: Readonly<Record<string, PermissionMode>> = {
  default: "ask",
  acceptedits: "edits",
  autoedit: "edits",
  readonly: "plan",
  yolo: "allow",
  bypasspermissions: "allow",
  dontask: "deny",
};

/** The mode that a word probably means: another agent's name for it, or a mistyped one. */
export function nearestMode(word: string): PermissionMode | undefined {
  const plain = word.toLowerCase().replace(/[-_ ]/g, "");
  const own = permissionModes.find((mode) => mode === plain);
  const other = Object.hasOwn(otherModes, plain) ? otherModes[plain] : undefined;
  const nearest = nearestWord(plain, permissionModes);
  return own ?? other ?? permissionModes.find((mode) => mode === nearest);
}
