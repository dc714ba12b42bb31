import type { SlashCommandName } from "./slash-command-table.ts";

const onFullScreen = "It needs the full screen: start ikigai on a terminal, without --plain.";
const inConversation = "Start ikigai without -p.";
const inFullConversation = "It needs the full screen: start ikigai on a terminal, without -p and --plain.";
const doctor = "In a shell: ikigai doctor";
const config = "In a shell: ikigai config get prints the settings, ikigai config edit opens them.";
const calls = "In a shell: ikigai tool log";
const another = "-p starts a new session, unless it has --continue or --resume.";

/** What to do instead of a command that line mode lacks. */
export const insteadInLines: Readonly<Partial<Record<SlashCommandName, string>>> = {
  thinking: onFullScreen,
  resume: "To resume a session: ikigai --resume ID",
  fork: "To work on a copy of a session: ikigai --resume ID --fork. Of a part of it: on the full screen.",
  rewind: onFullScreen,
  export: onFullScreen,
  context: `${onFullScreen} /status shows the tokens used.`,
  calls,
  jobs: onFullScreen,
  copy: onFullScreen,
  config,
  doctor,
};

/** What to do instead of each command with `-p`, which has none. */
export const insteadInPrint: Readonly<Record<SlashCommandName, string>> = {
  tool: "In a shell: ikigai tool list",
  load: "To use a skill or a tool, name it in the prompt: the model loads it.",
  refresh: "-p looks for the tools each time it is run.",
  trust: "In a shell: ikigai trust",
  model: "To choose a model: --model PROVIDER/MODEL",
  thinking: inFullConversation,
  permissions: "To allow calls: --allow RULE, --permission-mode MODE",
  status: "--output-format json prints the session, the tokens used and their cost.",
  memory: inConversation,
  init: "In a shell: ikigai init",
  resume: "To continue a session: --continue, --resume ID",
  new: another,
  fork: "To work on a copy of a session: --resume ID --fork",
  rewind: inFullConversation,
  export: inFullConversation,
  context: inFullConversation,
  compact: inConversation,
  calls,
  jobs: inFullConversation,
  agents: inConversation,
  todos: inConversation,
  copy: inFullConversation,
  clear: another,
  config,
  doctor,
  help: "In a shell: ikigai help",
  quit: "-p ends with its answer.",
};
