import { withTables } from "./topic-tables.ts";
import commandsOfConversation from "./topics/commands.txt";
import config from "./topics/config.txt";
import environment from "./topics/environment.txt";
import exitCodes from "./topics/exit-codes.txt";
import files from "./topics/files.txt";
import instructions from "./topics/instructions.txt";
import keys from "./topics/keys.txt";
import launchers from "./topics/launchers.txt";
import models from "./topics/models.txt";
import permissions from "./topics/permissions.txt";
import print from "./topics/print.txt";
import protocol from "./topics/protocol.txt";
import replay from "./topics/replay.txt";
import sandbox from "./topics/sandbox.txt";
import sessions from "./topics/sessions.txt";
import tools from "./topics/tools.txt";
import trust from "./topics/trust.txt";

/**
 * What `ikigai help` explains beside the commands, in the order in which it lists them. The first line is a summary; what is
 * indented stays as it is, in the manual as well.
 */
export const topics: Readonly<Record<string, string>> = {
  tools,
  protocol,
  permissions: withTables(permissions),
  trust,
  sandbox,
  launchers,
  models: withTables(models),
  keys: withTables(keys),
  commands: commandsOfConversation,
  instructions,
  sessions,
  replay,
  print,
  config,
  environment: withTables(environment),
  files,
  "exit-codes": exitCodes,
};

export function summaryOf(text: string): string {
  return text.slice(0, text.indexOf("\n"));
}
