import type { OtherWord } from "../args/other-words.ts";

const subagents = "Agents are files in ~/.ikigai/agents, and the model starts them: ikigai help agents";
const skills =
  "Skills are directories with a SKILL.md in ~/.ikigai/skills. In a conversation, /load lists them. More: ikigai help skills";
const plugins = "Tools take the place of plugins. To add one from npm, git, a folder or a file: ikigai tool add SOURCE";
const login = "To store a provider's API key: ikigai login PROVIDER. To choose a model: ikigai setup";
const print = 'To run one task and print the answer: ikigai -p "PROMPT"';
const resume = "To choose a session: ikigai --resume. To continue the last one: ikigai --continue";
const server =
  'ikigai has no server. A program can run it and read JSON: ikigai -p "PROMPT" --output-format stream-json';
const update = "To update the tools that you have added: ikigai tool update. To update ikigai: ikigai upgrade";
const hooks = "Hooks are executable files in ~/.ikigai/hooks. To list them: ikigai hook list. More: ikigai help hooks";

/** What to do instead of a command of other agents, in sentences of which the last has no period: it may end with a command. */
export const otherWordAnswers: Readonly<Record<OtherWord, string>> = {
  agent: subagents,
  agents: subagents,
  "app-server": server,
  apply: "ikigai changes files in place, so there is nothing to apply. To go back, type /rewind in a conversation",
  attach: server,
  auth: login,
  ask: print,
  chat: 'To start a conversation: ikigai, or ikigai "PROMPT". To run one task: ikigai -p "PROMPT"',
  cloud: `ikigai has no cloud. It runs on this machine. ${print}`,
  compact: inConversation("compact"),
  continue: resume,
  cost: inConversation("status"),
  e: print,
  exec: print,
  export: inConversation("export"),
  extension: plugins,
  extensions: plugins,
  fork: "To work on a copy of a session: ikigai --continue --fork, or ikigai --resume ID --fork",
  hooks,
  install: "To add tools: ikigai tool add SOURCE. To update ikigai: ikigai upgrade",
  "mcp-server": "To offer ikigai's tools to an MCP client: ikigai mcp serve",
  permissions: "To see and change the rules, start ikigai and type /permissions. More: ikigai help permissions",
  plugin: plugins,
  plugins,
  resume,
  review:
    'Ask for it: ikigai "review the changes on this branch". For a command of your own, /review: ikigai help commands',
  run: print,
  sandbox: "To run tools in the sandbox: ikigai --sandbox. More: ikigai help sandbox",
  "self-update": update,
  serve: server,
  server,
  session: resume,
  sessions: resume,
  "setup-token": login,
  skill: skills,
  skills,
  stats: inConversation("status"),
  status: inConversation("status"),
  update,
  usage: inConversation("status"),
  web: server,
};

function inConversation(command: string): string {
  return `This is a command of a conversation: start ikigai and type /${command}`;
}
