import { issueTracker } from "./issue-tracker.ts";

const login = "Quit, then run: ikigai login PROVIDER, or ikigai setup to choose a model";
const subagents = 'Subagents are not supported. A command can run a task of its own: !ikigai -p "TASK"';
const plugins = "Plugins are not supported, tools are: ikigai tool add SOURCE in a shell, then /refresh.";
const skills =
  "Skills are not supported. AGENTS.md holds instructions for every task (/memory), a custom command those for one (/help commands).";
const hooks = "Hooks are executable files in ~/.ikigai/hooks: /help hooks. To list them: !ikigai hook list";
const editor = "There is no vim mode. Ctrl-G opens the message in $EDITOR.";
const screen = "Set the colors with: ikigai config set screen.theme dark (or light, or auto)";
const update = "To see how to update ikigai: !ikigai upgrade. For added tools: ikigai tool update";
const directory = "A session has one working directory: start ikigai in a directory that contains everything it needs.";
const report = `Report problems at ${issueTracker}, with what /doctor shows and /export writes.`;
const sandbox = "Start with: ikigai --sandbox. More: /help sandbox";
const share = "/export html writes the session to a file that you can send.";
const plan = "Shift-Tab changes the mode, and so does /permissions plan.";

/**
 * The slash commands of Claude Code, Codex, Gemini CLI, opencode and pi that ikigai lacks under any name, and what to do
 * instead, in one line. Where a command of ikigai's does the same, they are its aliases.
 */
export const otherSlashWords: Readonly<Record<string, string>> = {
  login,
  logout: "Quit, then run: ikigai logout PROVIDER",
  auth: login,
  connect: login,
  setup: login,
  mcp: "To see the MCP servers: ikigai mcp list. To add one: ikigai mcp add NAME -- COMMAND",
  agent: subagents,
  agents: subagents,
  subagents,
  skill: skills,
  skills,
  hooks,
  plugin: plugins,
  plugins,
  extensions: plugins,
  marketplace: plugins,
  bug: report,
  feedback: report,
  vim: editor,
  editor,
  theme: screen,
  themes: screen,
  color: screen,
  statusline: "The last line of the screen cannot be configured. /status shows more.",
  "output-style": "Say in AGENTS.md how answers should be: /memory shows where it is.",
  "terminal-setup": "No setup needed: Shift-Enter, Ctrl-J or \\ at the end of a line begins a new line.",
  keybindings: "Keys cannot be configured. /help keys lists them.",
  hotkeys: "/help keys lists the keys.",
  keys: "/help keys lists the keys.",
  review: "A custom command can do this: ~/.ikigai/commands/review.md becomes /review. More: /help commands",
  "security-review": "A custom command can do this: /help commands",
  prompts: "Custom commands are files: /help commands",
  diff: "To see what changed: !!git diff",
  redo: "A rewind cannot be undone. /fork before it keeps both.",
  "add-dir": directory,
  directory,
  cwd: directory,
  sandbox,
  plan,
  mode: plan,
  rename: "Sessions are named after their first message.",
  name: "Sessions are named after their first message.",
  todos: "There is no task list. /calls shows what was done.",
  share,
  upgrade: update,
  update,
  uninstall: "To see how to remove ikigai: !ikigai uninstall",
  "release-notes": update,
  changelog: update,
  ide: "In an editor: ikigai acp (ikigai help editors). Here, @ and a file's name mention a file.",
  mention: "Type @ and a file's name.",
};
