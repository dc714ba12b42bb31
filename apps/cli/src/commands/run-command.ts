// The commands by name, each loaded when it is called: the table of contents of this folder. Then how one is run.
// `ikigai` without a command is run-repl.ts.

import { loadConfig } from "@ikigai/agent/internal";
import { type CommandName, commands } from "../args/commands.ts";
import { readSandboxFlags, readSessionFlags } from "../args/parse-argv.ts";
import { readOperands, readOptions } from "../args/read-options.ts";
import { findPlaces } from "../host/places/find-places.ts";
import { exitCodes } from "../host/terminal/exit.ts";
import { printOut } from "../host/terminal/stdout.ts";
import type { Command } from "./command.ts";

/** Loads a command on demand. */
const load: Readonly<Record<CommandName, () => Promise<Command>>> = {
  "tool list": async () => (await import("./tool/tool-list.ts")).toolList,
  "tool show": async () => (await import("./tool/tool-list.ts")).toolShow,
  "tool call": async () => (await import("./tool/tool-call.ts")).toolCall,
  "tool path": async () => (await import("./tool/tool-path.ts")).toolPath,
  "tool types": async () => (await import("./tool/tool-types.ts")).toolTypes,
  "tool check": async () => (await import("./tool/tool-check.ts")).toolCheck,
  "tool eval": async () => (await import("./tool/eval/tool-eval.ts")).toolEval,
  "tool new": async () => (await import("./tool/tool-new.ts")).toolNew,
  "tool wrap": async () => (await import("./tool/wrap/tool-wrap.ts")).toolWrap,
  "tool export": async () => (await import("./tool/export/tool-export.ts")).toolExport,
  "tool search": async () => (await import("./tool/tool-search.ts")).toolSearch,
  "tool add": async () => (await import("./tool/add/tool-add.ts")).toolAdd,
  "tool allow": async () => (await import("./tool/tool-allow.ts")).toolAllow,
  "tool update": async () => (await import("./tool/add/tool-add.ts")).toolUpdate,
  "tool remove": async () => (await import("./tool/tool-remove.ts")).toolRemove,
  "tool log": async () => (await import("./tool/tool-log.ts")).toolLog,
  "mcp add": async () => (await import("./mcp/mcp-add.ts")).mcpAdd,
  "mcp list": async () => (await import("./mcp/mcp-servers.ts")).mcpList,
  "mcp test": async () => (await import("./mcp/mcp-servers.ts")).mcpTest,
  "mcp update": async () => (await import("./mcp/mcp-servers.ts")).mcpUpdate,
  "mcp remove": async () => (await import("./mcp/mcp-servers.ts")).mcpRemove,
  "mcp login": async () => (await import("./mcp/mcp-login.ts")).mcpLogin,
  "mcp logout": async () => (await import("./mcp/mcp-login.ts")).mcpLogout,
  "mcp serve": async () => (await import("./mcp/mcp-serve.ts")).mcpServe,
  "sessions list": async () => (await import("./sessions/list-sessions.ts")).listSessions,
  "sessions search": async () => (await import("./sessions/list-sessions.ts")).searchCommand,
  "sessions archive": async () => (await import("./sessions/session-files.ts")).archive,
  "sessions delete": async () => (await import("./sessions/session-files.ts")).deleteCommand,
  "sessions export": async () => (await import("./sessions/session-files.ts")).exportCommand,
  "sessions share": async () => (await import("./sessions/session-files.ts")).share,
  "sessions import": async () => (await import("./sessions/session-files.ts")).importCommand,
  cost: async () => (await import("./sessions/cost.ts")).cost,
  replay: async () => (await import("./replay/replay.ts")).replay,
  undo: async () => (await import("./undo.ts")).undo,
  "hook list": async () => (await import("./hook/hook-list.ts")).hookList,
  "hook test": async () => (await import("./hook/hook-test.ts")).hookTest,
  setup: async () => (await import("./setup/setup.ts")).setup,
  models: async () => (await import("./models.ts")).models,
  login: async () => (await import("./login.ts")).login,
  logout: async () => (await import("./login.ts")).logout,
  import: async () => (await import("./import/import.ts")).importCommand,
  "config get": async () => (await import("./config/config.ts")).configGet,
  "config set": async () => (await import("./config/config.ts")).configSet,
  "config unset": async () => (await import("./config/config.ts")).configUnset,
  "config edit": async () => (await import("./config/config-edit.ts")).configEdit,
  "config schema": async () => (await import("./config/config.ts")).printSchema,
  "config path": async () => (await import("./config/config.ts")).printPath,
  acp: async () => ({ run: serveEditor }),
  trust: async () => (await import("./trust.ts")).trustCommand,
  init: async () => (await import("./init.ts")).init,
  doctor: async () => (await import("./doctor/doctor.ts")).doctor,
  upgrade: async () => (await import("./upgrade.ts")).upgrade,
  uninstall: async () => (await import("./upgrade.ts")).uninstall,
  completion: async () => (await import("./completion/completion.ts")).completion,
  help: async () => ({ run: async (words) => printHelp(words) }),
};

/**
 * Runs a subcommand; returns the exit code.
 *
 * @throws UsageError for invalid arguments; IkigaiError if the command fails.
 */
export async function runCommand(name: CommandName, args: readonly string[]): Promise<number> {
  const { env } = process;
  const { needs } = commands[name];
  const command = await load[name]();
  const places = findPlaces(env, needs === "nothing" ? "/" : undefined);
  if (needs === "config") loadConfig(places.home);
  return command.run(args, { places, env });
}

/** `ikigai acp`: serves an editor. */
async function serveEditor(args: readonly string[]): Promise<number> {
  const { flags, values, operands } = readOptions(args, commands.acp.options);
  readOperands(operands, commands.acp);
  const { runAcp } = await import("../acp/run-acp.ts");
  return runAcp({ ...readSessionFlags(values), ...readSandboxFlags(flags) });
}

async function printHelp(words: readonly string[]): Promise<number> {
  const { helpOn } = await import("../help/help-on.ts");
  printOut(helpOn(words));
  return exitCodes.done;
}
