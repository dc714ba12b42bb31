const allow =
  "To run calls without asking: --permission-mode allow (deny rules still apply). To limit what tools can change, add --sandbox.";
const mode = "To choose what runs without asking: --permission-mode MODE. The modes: ikigai help permissions";
const rules =
  'To allow calls without asking: --allow "bash(npm test*)", once for each rule. More: ikigai help permissions';
const addRule = "add a rule: /permissions in a conversation, or ikigai config edit. More: ikigai help permissions";
const deny = `To deny calls, ${addRule}`;
const directory = "A session has one working directory. Start ikigai in a directory that contains everything it needs.";
const startThere = "Change the directory first: cd DIR && ikigai";
const instructions = "Put instructions in AGENTS.md. More: ikigai help instructions";
const print = 'To run one task and print the answer: ikigai -p "PROMPT"';
const json = "For JSON: -p with --output-format json or stream-json.";
const session = "To continue a session: --resume ID, or --continue for the last one. To work on a copy: add --fork";
const sandbox = "To limit what tools change: --sandbox, or --sandbox-network. More: ikigai help sandbox";
const file = 'Name a file in the prompt with @, an image too: ikigai "explain @src/main.ts"';
const thinking = "To set how much the model thinks, start ikigai and type /thinking";
const config = "To change a setting: ikigai config set KEY VALUE. The settings: ikigai help config";
const keys = "To store an API key: ikigai login PROVIDER. More: ikigai help models";
const local = "To use a model of Ollama: --model ollama/MODEL. To set up another server: ikigai setup";
const subagents = "Agents are files in ~/.ikigai/agents, and the model starts them: ikigai help agents";
const plugins = "Tools take the place of plugins. To add some: ikigai tool add SOURCE";
const sessions = "To choose from this directory's sessions: ikigai --resume";
const quiet = "-p prints only the answer on stdout; notices go to stderr.";
const git = "ikigai makes no commits unless you ask for one, and needs no repository.";
const debug = "To check the setup: ikigai doctor. To list a session's calls: ikigai tool log";
const colors = "To set the colors: ikigai config set screen.theme dark. All themes: ikigai help config";
const server = 'ikigai has no server. A program can run it: ikigai -p "PROMPT" --output-format stream-json';
const web = "web_search ships with ikigai, but needs a search service: ikigai help web";
const always = "Sessions are always saved, in ~/.ikigai/sessions. More: ikigai help sessions";
const html = "To write a session to a file that you can send, type /export html in it.";
const tools = `To keep the model from calling a tool, ${addRule}`;
const bare = "To run with no configuration, tools or sessions of your own: HOME=$(mktemp -d) ikigai";
const title = "Sessions are named after their first message.";

/**
 * The options of Claude Code, Codex, Gemini CLI, opencode, aider and pi that ikigai lacks under this name or with this meaning, and
 * what to type instead. Not aliases: most differ in what they allow.
 */
export const otherOptionAnswers: Readonly<Record<string, string>> = {
  "--yolo": allow,
  "-y": allow,
  "--yes": allow,
  "--yes-always": allow,
  "--auto": allow,
  "--dangerously-skip-permissions": allow,
  "--allow-dangerously-skip-permissions": allow,
  "--dangerously-bypass-approvals-and-sandbox": allow,
  "--full-auto": "To run calls without asking, in the sandbox: --permission-mode allow --sandbox",
  "--mode": `${mode}. ${json}`,
  "--approval-mode": mode,
  "--ask-for-approval": mode,
  "-a": mode,
  "--plan": "To let the model only read: --permission-mode plan",
  "--allowedTools": rules,
  "--allowed-tools": rules,
  "--deny": deny,
  "--disallowedTools": deny,
  "--disallowed-tools": deny,
  "--no-tools": tools,
  "--no-builtin-tools": tools,
  "-nbt": tools,
  "-nt": tools,
  "--tools": `${rules}. To list the tools: ikigai tool list`,
  "--trust": "To trust the project's tools: ikigai trust",
  "--skip-trust": "To trust the project's tools: ikigai trust",
  "-s": `${sandbox}. ${session}`,
  "--add-dir": directory,
  "--include-directories": directory,
  "--cd": startThere,
  "-C": startThere,
  "--cwd": startThere,
  "--dir": startThere,
  "--system-prompt": instructions,
  "--append-system-prompt": instructions,
  "--no-context-files": instructions,
  "-nc": instructions,
  "--read": instructions,
  "--prompt": print,
  "--message": print,
  "--message-file": "To read the prompt from a file: ikigai -p < FILE",
  "--command": 'A custom command is part of the prompt: ikigai "/NAME ARGUMENTS". More: ikigai help commands',
  "--prompt-interactive": 'To begin a conversation with a prompt: ikigai "PROMPT"',
  "-i": `To begin a conversation with a prompt: ikigai "PROMPT". ${file}`,
  "--image": file,
  "--file": file,
  "-f": file,
  "--all-files": file,
  "--json": json,
  "--format": json,
  "--output": json,
  "-o": json,
  "--stream-json": json,
  "--json-schema": "For JSON that fits a schema: -p with --output-schema FILE.",
  "--input-format": "Piped input is text: it is added to the prompt of -p.",
  "--output-last-message": 'To write the answer to a file: ikigai -p "PROMPT" > FILE',
  "--session": session,
  "--session-id": session,
  "--fork-session": session,
  "--last": session,
  "--list-sessions": sessions,
  "--no-session": always,
  "--no-session-persistence": always,
  "--ephemeral": always,
  "--session-dir": always,
  "--session-file": session,
  "--title": title,
  "--name": title,
  "-n": title,
  "--agent": subagents,
  "--agents": subagents,
  "--effort": thinking,
  "--thinking": thinking,
  "--reasoning-effort": thinking,
  "--variant": thinking,
  "--config": config,
  "--settings": config,
  "--profile": config,
  "--setting-sources": config,
  "--bare": bare,
  "--pure": bare,
  "--safe-mode": bare,
  "--ignore-user-config": bare,
  "--api-key": keys,
  "--openai-api-key": keys,
  "--anthropic-api-key": keys,
  "--provider": "Name the provider with the model: --model PROVIDER/MODEL",
  "--models": "To list the models you can use: ikigai models",
  "--list-models": "To list the models you can use: ikigai models",
  "--fallback-model": "A session has one model: --model PROVIDER/MODEL",
  "--oss": local,
  "--local-provider": local,
  "--max-budget-usd": "To limit the requests per message: --max-turns N. /status shows the cost.",
  "--search": web,
  "--strict-mcp-config": "MCP servers in a project are used only when added: ikigai help mcp",
  "--mcp-config": "To use the MCP servers in a file: --mcp FILE. To add one: ikigai mcp add NAME -- COMMAND",
  "--plugin-dir": plugins,
  "--extension": plugins,
  "--extensions": plugins,
  "--no-extensions": plugins,
  "--list-extensions": plugins,
  "-e": plugins,
  "--checkpointing": "Checkpoints are always on: /rewind goes back to one.",
  "--worktree": "Make a worktree first: git worktree add DIR, then cd DIR && ikigai",
  "-w": "Make a worktree first: git worktree add DIR, then cd DIR && ikigai",
  "--skip-git-repo-check": git,
  "--no-git": git,
  "--no-auto-commits": git,
  "--auto-commits": git,
  "--share": html,
  "--export": html,
  "--debug": debug,
  "--debug-file": debug,
  "--log-level": debug,
  "--print-logs": debug,
  "-d": debug,
  "--verbose": debug,
  "--ax-screen-reader": "To print lines instead of the full screen: --plain",
  "--mini": "To print lines instead of the full screen: --plain",
  "--no-alt-screen": "To print lines instead of the full screen: --plain",
  "--screen-reader": "To print lines instead of the full screen: --plain",
  "--quiet": quiet,
  "-q": quiet,
  "--silent": quiet,
  "--color": "Set NO_COLOR=1 to turn colors off.",
  "--no-color": "Set NO_COLOR=1 to turn colors off.",
  "--theme": colors,
  "--dark-mode": colors,
  "--light-mode": colors,
  "--port": server,
  "--hostname": server,
  "--attach": server,
  "--remote": server,
  "--remote-control": server,
  "--experimental-acp": "To serve an editor: ikigai acp. More: ikigai help editors",
  "--ide": "To serve an editor: ikigai acp. More: ikigai help editors",
  "--acp": "To serve an editor: ikigai acp. More: ikigai help editors",
  "--update": "To update ikigai: ikigai upgrade",
  "-V": "To print the version: ikigai --version",
};
