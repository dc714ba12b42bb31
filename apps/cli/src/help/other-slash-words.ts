import { issueTracker } from "./issue-tracker.ts";

const login = "In a shell: ikigai login PROVIDER stores an API key, ikigai setup chooses a model.";
const plugins = "Tools take the place of plugins. In a shell: ikigai tool add SOURCE. Then: /refresh";
const hooks = "Hooks are executable files in ~/.ikigai/hooks. In a shell: ikigai hook list. More: /help hooks";
const editor = "The input line has Emacs keys, and Ctrl-G opens the message in $EDITOR.";
const keys = "~/.ikigai/keys.json changes the keys, /help keys lists them.";
const screen = "In a shell: ikigai config set screen.theme dark. All themes, and your own: /help config";
const update = "In a shell: ikigai upgrade says how to update ikigai, ikigai tool update updates added tools.";
const directory = "A session has one working directory: start ikigai in a directory that contains everything it needs.";
const report = `Report problems at ${issueTracker}, with what /doctor shows and /export writes.`;
const sandbox = "In a shell: ikigai --sandbox. More: /help sandbox";
const share = "/export html writes the session to a file that you can send.";
const name = "Sessions are named after their first message.";
const save = "Sessions are saved as they go: /resume lists them. /fork makes a copy of this one.";
const points = "/rewind lists this session's messages and goes back to one; /fork before it keeps both.";
const goal = "Say in the message when the task is done. In a shell: ikigai -p runs until the model has no more calls.";
const github = "In a GitHub workflow, a step can be: uses: ikigai-cli/ikigai (its inputs: action.yml there).";
const telemetry = "There is no telemetry: ikigai sends only what you ask for, to the model and servers you chose.";
const mode = "Shift-Tab changes the mode, and so does /permissions MODE. /permissions plan only reads.";
const filesRead = "/calls shows what was read and changed.";
const modeInLines = "/permissions MODE changes the mode. /permissions plan only reads.";
const modeInPrint = "--permission-mode MODE sets the mode, --permission-mode plan only reads.";

/**
 * The slash commands of Claude Code, Codex, Gemini CLI, opencode and pi that ikigai lacks under any name, and what to do
 * instead, in one line. Where a command of ikigai's does the same, they are its aliases.
 */
export const otherSlashWords: Readonly<Record<string, string>> = {
  login,
  logout: "In a shell: ikigai logout PROVIDER",
  auth: login,
  connect: login,
  setup: login,
  mcp: "In a shell: ikigai mcp list shows the MCP servers, ikigai mcp add NAME -- COMMAND adds one. More: /help mcp",
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
  statusline: "For your own status line, in a shell: ikigai config set screen.status COMMAND. More: /help config",
  "output-style": "Say in AGENTS.md how answers should be: /memory shows where it is.",
  "terminal-setup":
    "Ctrl-J, or \\ and Enter, begins a new line in every terminal; Shift-Enter only where it differs from Enter.",
  keybindings: keys,
  hotkeys: keys,
  keymap: keys,
  keys,
  review: "A custom command can do this: ~/.ikigai/commands/review.md becomes /review. More: /help commands",
  "security-review": "A custom command can do this: /help commands",
  prompts: "Custom commands are files: /help commands",
  diff: "To see what changed: !!git diff",
  redo: "A rewind cannot be undone. /fork before it keeps both.",
  "add-dir": directory,
  directory,
  cwd: directory,
  sandbox,
  plan: mode,
  mode,
  yolo: "/permissions allow runs calls without asking (deny rules still apply). To limit what tools can change, start with --sandbox (/help sandbox).",
  rename: name,
  name,
  title: name,
  tag: name,
  chat: save,
  save,
  history: save,
  tree: points,
  timeline: points,
  goal,
  loop: goal,
  btw: "To ask something aside, /fork first: the copy leaves this session as it is.",
  files: `Type @ to find a file. ${filesRead}`,
  debug: report,
  stop: "Esc stops the current turn. /jobs lists background commands.",
  fast: "/model chooses a model, /thinking sets how much it thinks.",
  variants: "/thinking sets how much the model thinks.",
  personality: "Say in AGENTS.md how answers should be: /memory shows where it is.",
  docs: "/help lists the topics.",
  "install-github-app": github,
  "setup-github": github,
  pr_comments: "Ask for them: the model can run gh pr view --comments.",
  "pr-comments": "Ask for them: the model can run gh pr view --comments.",
  privacy: telemetry,
  "privacy-settings": telemetry,
  unshare: share,
  share,
  upgrade: update,
  update,
  uninstall: "In a shell: ikigai uninstall says how to remove ikigai.",
  "release-notes": update,
  changelog: update,
  ide: "In an editor: ikigai acp (/help editors). Here, @ and a file's name mention a file.",
  mention: "Type @ and a file's name.",
};

/** What line mode says instead: it has neither the keys of the full screen nor a list of files. */
export const otherWordsInLines: Readonly<Record<string, string>> = {
  plan: modeInLines,
  mode: modeInLines,
  stop: "Ctrl-C stops the current turn. /jobs lists background commands.",
  files: filesRead,
  "terminal-setup": "A line that ends in \\ continues on the next one.",
};

/** What `-p` says instead. */
export const otherWordsInPrint: Readonly<Record<string, string>> = {
  plan: modeInPrint,
  mode: modeInPrint,
  stop: "Ctrl-C stops -p.",
  diff: "In a shell: git diff",
  files: filesRead,
  "terminal-setup": "A prompt of several lines can come from standard input, or in quotes.",
};
