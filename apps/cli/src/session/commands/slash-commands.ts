// What slash commands do that need no full screen, by name, and how line mode runs them. The names are in help/slash-command-table.ts.

import type { Places } from "@ikigai/agent/internal";
import { findTool, trustStatus } from "@ikigai/core";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import { recordUse, startConversation } from "@ikigai/session";
import type { Row } from "../../help/columns.ts";
import {
  isShared,
  type SharedCommandName,
  type SlashCommandFacts,
  slashCommand,
  slashCommandForm,
  slashCommandNames,
} from "../../help/slash-command-table.ts";
import { nearestName } from "../../host/conversation/command-tools.ts";
import { nothingToTrust } from "../../render/question/render-trust.ts";
import { renderModelNotice } from "../../render/render-header.ts";
import {
  renderSent,
  renderServed,
  renderService,
  renderSkipped,
  renderTool,
  renderToolList,
  renderUntrusted,
} from "../../render/tool/render-tool.ts";
import { failureLine, untrustedNotice } from "../../render/tool/report-tools.ts";
import type { Interruptible, Session } from "../session.ts";
import { offerTrust } from "../session.ts";
import { runAside } from "./aside.ts";
import { showChanges } from "./changes.ts";
import { type CommandNames, commandCalled, noSuchCommand } from "./find-command.ts";
import { initProject } from "./init.ts";
import { helpOnOwnCommand, ownCommandRows, unusedCommandFiles } from "./own-commands.ts";
import {
  addDir,
  changePlace,
  nameSession,
  setGoal,
  showAgents,
  showMemory,
  showNetwork,
  showPermissions,
  showServers,
  showStatus,
  showTodos,
} from "./state-commands.ts";

/** What a command does, wherever it is typed. */
export type CommandHandler = (
  args: readonly string[],
  session: Session,
  interruptible: Interruptible,
) => Promise<void> | void;

/** What each command does that does not need the full screen. */
export const commandHandlers: Readonly<Record<SharedCommandName, CommandHandler>> = {
  name: nameSession,
  new: startNew,
  compact,
  btw: runAside,
  changes: showChanges,
  goal: setGoal,
  model: showModel,
  permissions: showPermissions,
  "add-dir": addDir,
  cd: changePlace,
  network: showNetwork,
  mcp: showServers,
  status: showStatus,
  memory: showMemory,
  init: initProject,
  agents: showAgents,
  todos: showTodos,
  tool: showTools,
  load: async (...given) => (await import("./load-command.ts")).runLoad(...given),
  refresh,
  trust,
  help: showHelp,
  quit,
};

/** A command of line mode. */
interface LineCommand extends CommandNames, SlashCommandFacts {
  readonly run: CommandHandler;
}

async function showTools([wanted]: readonly string[], { agent, screen }: Session): Promise<void> {
  const registry = await agent.toolbox.current();
  if (wanted === undefined) return screen.print(renderToolList(registry, agent.places, { hasSummaries: true }));
  const found = findTool(registry, wanted);
  if (found) {
    const { served, services } = agent.spares;
    const expected = { env: agent.env, ...agent.rules.settingsFor(found.name) };
    const [shares, service] = [served.status(found, expected), services.status(found, expected)];
    const processes = `${shares ? renderServed(shares) : ""}${service ? renderService(service, agent.places) : ""}`;
    return screen.print(`${renderTool(found, agent.places)}${processes}${renderSent(registry, found.name)}`);
  }
  const untrusted = renderUntrusted(registry, wanted, agent.places);
  if (untrusted !== "") return screen.print(untrusted);
  const meant = nearestName(registry, wanted);
  const skipped = registry.failed.filter(({ name }) => name === wanted);
  const known = meant === undefined ? ". /tool lists the tools." : `. Did you mean ${meant}?`;
  const advice = skipped.length > 0 ? "" : known;
  screen.print(`Tool not found: ${sanitiseLine(wanted)}${advice}\n${renderSkipped(skipped, agent.places)}`);
}

async function refresh(_: readonly string[], { agent, screen }: Session): Promise<void> {
  agent.spares.refresh();
  const registry = await agent.toolbox.refresh();
  const { tools, failed } = registry;
  screen.print(`Tool registry refreshed: ${tools.length} tools loaded\n`);
  for (const failure of failed.filter(({ reason }) => reason !== "untrusted")) {
    const style = failure.isLaunched ? screen.style.yellow : screen.style.dim;
    screen.print(style(`${failureLine(failure)}\n`));
  }
  const notice = untrustedNotice(registry, "/trust");
  if (notice !== undefined) screen.print(screen.style.yellow(`${notice}\n`));
}

async function showModel([wanted]: readonly string[], session: Session): Promise<void> {
  const { screen } = session;
  if (wanted !== undefined) {
    const { switchModel } = await import("./switch-model.ts");
    const chosen = await switchModel(session, wanted, "In a shell, ikigai models lists the models.");
    if ("problem" in chosen) return screen.print(screen.style.red(`${sanitise(chosen.problem)}\n`));
    if (chosen.warning !== undefined) screen.print(screen.style.yellow(`${sanitise(chosen.warning)}\n`));
    session.model = chosen.model;
    recordUse(session.agent, chosen.model);
  }
  screen.print(`Model: ${sanitiseLine(session.model.id)}\n${renderModelNotice(session.model, screen)}`);
}

async function trust(_: readonly string[], session: Session): Promise<void> {
  const { agent, screen } = session;
  const { status, dir } = await trustStatus(agent.places);
  if (status === "trusted") return screen.print("The project is trusted. To stop trusting it: ikigai trust --revoke\n");
  if ((await offerTrust(session)) === "nothing") screen.print(`${nothingToTrust({ dir }, agent.places)}\n`);
}

async function compact(words: readonly string[], session: Session, interruptible: Interruptible): Promise<void> {
  const { agent, screen } = session;
  if (agent.conversation.messages.length === 0) return screen.print("No messages yet.\n");
  const { compactSession, readCompact } = await import("./compact.ts");
  if (readCompact(words.join(" ")).side !== undefined)
    return screen.print("To choose a message, /compact needs the full screen, on a terminal, without --plain.\n");
  const { text, hasFailed } = await interruptible((signal) => compactSession(session, words.join(" "), signal));
  screen.print(`${hasFailed ? screen.style.yellow(sanitise(text)) : text}\n`);
}

async function startNew(_: readonly string[], { agent, screen }: Session): Promise<void> {
  const { places, secrets } = agent;
  const { workLeft } = await import("../work-left.ts");
  for (const line of await workLeft(agent)) screen.print(`${sanitise(line)}\n`);
  agent.change(startConversation({ home: places.home, cwd: places.projectDir, secrets }));
  screen.print("A new session.\n");
}

async function showHelp(args: readonly string[], { agent, screen }: Session): Promise<void> {
  if (args.length > 0) return screen.print(await helpInConversation(args, agent.places));
  const commands = slashCommands.map((command): Row => [slashCommandForm([command.name, command]), command.summary]);
  const own = await ownCommandRows(agent.places);
  const keys: readonly Row[] = [
    ["!COMMAND", "run a command yourself; its output becomes part of the conversation"],
    ["\\ at a line's end", "continue on the next line"],
    ["Ctrl-C", "stop the answer or the call, or clear the line; twice on an empty line: quit"],
    ["Ctrl-D", "quit"],
  ];
  const { columns } = await import("../../help/columns.ts");
  const { topicRows } = await import("../../help/help-on.ts");
  const unused = (await unusedCommandFiles(agent.places)).map((line) => `${line}\n`).join("");
  const topics = `/help TOPIC explains:\n${columns(topicRows())}`;
  screen.print(`${columns([...commands, ...own, ...keys])}${unused}\n${topics}`);
}

/** What `/help TOPIC` prints; the user's own commands come before words of other agents. */
export async function helpInConversation(words: readonly string[], places: Places): Promise<string> {
  const [word = "", ...others] = words;
  const { helpOrProblem, isTopic } = await import("../../help/help-on.ts");
  const own = others.length > 0 || isTopic(words) ? undefined : await helpOnOwnCommand(word, places);
  return own ?? helpOrProblem(words);
}

async function quit(_: readonly string[], session: Session): Promise<void> {
  session.isOver = true;
}

/** The commands of line mode, in the order of the help. Without a screen to clear, /clear is /new. */
export const slashCommands: readonly LineCommand[] = slashCommandNames.filter(isShared).map((name) => {
  const { aliases = [], ...facts } = slashCommand(name);
  return { ...facts, aliases: name === "new" ? [...aliases, "clear"] : aliases, run: commandHandlers[name] };
});

/** Runs a slash command. */
export async function runSlashCommand(message: string, session: Session, interruptible: Interruptible): Promise<void> {
  const name = nameIn(message);
  const [, ...args] = message.slice(1).trim().split(/\s+/);
  const command = commandCalled(name, slashCommands);
  if (command) return command.run(args, session, interruptible);
  const unused = await unusedCommandFiles(session.agent.places, name);
  session.screen.print(`${[...unused, await noSuchCommand(name, slashCommands, session, "lines")].join("\n")}\n`);
}

function nameIn(message: string): string {
  return message.slice(1).trim().split(/\s+/, 1)[0] ?? "";
}
