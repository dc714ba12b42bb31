// Slash commands about the state of the conversation, for all ways to use one, such as /status, /goal and /permissions.

import {
  agentsWork,
  findInstructions,
  namedAgents,
  type Places,
  readConfig,
  rulesDirectory,
  type StartedAgent,
  startedAgents,
} from "@ikigai/agent/internal";
import { permissionModes, permissionModeTable } from "@ikigai/agent/permission-modes";
import { addUsage, noUsage, type Usage } from "@ikigai/models";
import type { Permission, PermissionMode, PermissionRule, RulePlace } from "@ikigai/permission";
import { sanitise, sanitiseLine } from "@ikigai/screen";
import {
  type Conversation,
  clearTodos,
  type HostUse,
  isName,
  networkedCalls,
  readTodos,
  sessionCatalog,
} from "@ikigai/session";
import { shellWord, tokenCount } from "@ikigai/system";
import { narrowColumns, type Row } from "../../help/columns.ts";
import { sandboxState } from "../../host/conversation/open-notices.ts";
import { placesOfCalls } from "../../host/places/find-places.ts";
import { version } from "../../host/places/own-paths.ts";
import { renderTodos, type TodoItem, todoMarks } from "../../render/call/render-brief.ts";
import { renderCall } from "../../render/call/render-call.ts";
import { fileSize, shortPath } from "../../render/short-forms.ts";
import type { Session } from "../session.ts";

/** The full path, also of the project itself. */
const fullPath = (path: string) => sanitiseLine(shortPath(path, { projectDir: "" }));

export async function showStatus(_: readonly string[], session: Session): Promise<void> {
  session.screen.print(narrowColumns(await statusRows(session), session.screen.columns));
}

async function statusRows({ agent, model }: Session): Promise<Row[]> {
  const { conversation, places, permission, rules, thinking } = agent;
  const { log, id } = conversation;
  return [
    ["ikigai", version],
    ["model", `${sanitiseLine(model.id)}${thinking === undefined ? "" : `, thinking: ${thinking}`}`],
    ["directory", fullPath(places.projectDir)],
    ...(permission.cwd === undefined ? [] : [["calls run in", fullPath(permission.cwd)] as const]),
    ...(permission.directories ?? []).map((path) => ["added", fullPath(path)] as const),
    ["session", `${id}${log.path === undefined ? " (not saved)" : ""}`],
    ["permissions", permissionModeTable[permission.mode].title],
    ["sandbox", sandboxState(rules, agent.sandbox.isThere && rules.sandbox === undefined)],
    ["tools", (await agent.toolbox.last()).tools.map(({ name }) => name).join(", ")],
    ...tokenRows({ agent, model }),
  ];
}

function tokenRows({ agent, model }: Pick<Session, "agent" | "model">): Row[] {
  const { usage } = agent.conversation;
  if (usage.inputTokens + usage.outputTokens === 0) return [["tokens", "none yet"]];
  const rows: Row[] = [["tokens", usageText(usage, agent.models.of(model.id)?.cost(usage))]];
  const ofAgents = [...agentsWork(agent.conversation).usage];
  if (ofAgents.length === 0) return rows;
  const costs = ofAgents.map(([id, used]) => agent.models.of(id)?.cost(used));
  const cost = costs.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0);
  return [...rows, ["of agents", usageText(ofAgents.map(([, used]) => used).reduce(addUsage, noUsage), cost)]];
}

function usageText(usage: Usage, cost: number | undefined): string {
  const price = cost === undefined ? "price unknown" : `$${cost.toFixed(cost < 0.1 ? 3 : 2)}`;
  const cached = usage.cacheReadTokens === 0 ? "" : ` (${tokenCount(usage.cacheReadTokens)} cached)`;
  return `${tokenCount(usage.inputTokens)} in${cached}, ${tokenCount(usage.outputTokens)} out, ${price}`;
}

/** /mcp: the servers that were added, with what keeps them from being used, and those of this conversation only. */
export async function showServers(_: readonly string[], { agent, screen }: Session): Promise<void> {
  const { AddedServer } = await import("@ikigai/mcp");
  const added = AddedServer.all(agent.places).map((server) => {
    const state = server.status(agent.env);
    const login = state === "needs login" ? `: ikigai mcp login ${server.name}` : "";
    return [server.name, server.transport(), `${state}${login}`];
  });
  const own = agent.servers?.states().map(({ name, state }) => [name, "of this conversation", state]) ?? [];
  const rows = [...added, ...own].map((row) => `  ${row.map(sanitiseLine).join("  ")}\n`);
  screen.print(rows.length === 0 ? "No MCP servers. In a shell: ikigai mcp add NAME -- COMMAND\n" : rows.join(""));
}

/** What each call of the session exchanged with hosts. Those of agents are in their own sessions. */
export async function showNetwork(_: readonly string[], { agent, screen }: Session): Promise<void> {
  const calls = networkedCalls(agent.conversation);
  if (calls.length === 0) return screen.print("No call of this session has used the network of the sandbox.\n");
  for (const { call, hosts } of calls) {
    screen.print(`${renderCall(call, screen)}\n`);
    for (const use of hosts) screen.print(`  ${sanitiseLine(hostLine(use))}\n`);
  }
}

function hostLine({ host, sent, received, refused }: HostUse): string {
  if (refused === undefined) return `${host}: ${fileSize(sent)} sent, ${fileSize(received)} received`;
  const why = refused.replace(/^host \S+: /, "").replace(/; [^;]*\bhost\(.*$/, "");
  return `${host} was refused: ${why}. To allow it: /permissions, allow host(${host})`;
}

/** The session's name: in lists, for /resume and for --resume. */
export async function nameSession(words: readonly string[], { agent, screen }: Session): Promise<void> {
  const { conversation, places } = agent;
  const wanted = words.join(" ");
  const sessions = sessionCatalog(places.home);
  if (wanted === "") {
    const own = sessions.find(({ id }) => id === conversation.id)?.name ?? "";
    return screen.print(own === "" ? "No name yet: the first message gives one.\n" : `${sanitiseLine(own)}\n`);
  }
  const other = sessions.find((session) => session.name === wanted && session.id !== conversation.id);
  if (!isName(wanted)) return screen.print("A name is one line of at most 60 characters, and no ID.\n");
  if (other) return screen.print(`Session ${other.id} has this name already.\n`);
  conversation.log.append({ type: "name", name: wanted });
  screen.print(
    `This session is now called ${sanitiseLine(wanted)}. To resume it: ikigai --resume ${shellWord(wanted)}\n`,
  );
}

/** What turns work for. */
export async function setGoal(words: readonly string[], { agent: { run }, screen }: Session): Promise<void> {
  const wanted = words.join(" ");
  if (wanted === "off") run.goal = undefined;
  else if (wanted !== "") run.goal = wanted;
  const text = run.goal === undefined ? "No goal." : `Goal: ${sanitiseLine(run.goal)}`;
  const how = "Each turn continues until this command exits with 0. /goal off ends that.";
  screen.print(`${text}${run.goal === undefined ? "" : `\n${how}`}\n`);
}

export async function showMemory(_: readonly string[], { agent, screen }: Session): Promise<void> {
  const { projectDir, home } = agent.places;
  const { cwd = projectDir, directories = [] } = agent.permission;
  const { files, refused } = findInstructions(cwd, home, [...directories, projectDir]);
  const lines = files.map(({ path, text }) => `  ${fullPath(path)}  ${lineCount(text)}\n`);
  if (lines.length > 0) screen.print(`Read for every message, the most specific last:\n${lines.join("")}`);
  else if (refused.length === 0)
    screen.print(`No AGENTS.md here, and none in ${fullPath(home)}. /init writes one for this project.\n`);
  for (const problem of refused) screen.print(`${sanitise(problem)}\n`);
}

/** Counts a directory as the project, too; the model learns of it with the next message. */
export async function addDir(words: readonly string[], { agent, screen }: Session): Promise<void> {
  const { permission, places } = agent;
  const wanted = words.join(" ");
  const { directories: before = [] } = permission;
  if (wanted === "") {
    const listed = [places.projectDir, ...before].map((path) => `  ${fullPath(path)}\n`).join("");
    return screen.print(`The directories of this session. To add one: /add-dir DIR\n${listed}`);
  }
  const added = agent.addDirectory(wanted);
  if ("problem" in added) return screen.print(screen.style.red(`${sanitise(added.problem)}\n`));
  const what = added.isNew
    ? "Added for this session; the model learns of it with your next message"
    : "It is added already";
  screen.print(`${what}: ${fullPath(added.path)}\n`);
}

/** /cd DIR: calls run in another directory of the project; the model learns of it with the next message. */
export async function changePlace(words: readonly string[], { agent, screen }: Session): Promise<void> {
  const wanted = words.join(" ");
  const problem = wanted === "" ? undefined : agent.changeDirectory(wanted);
  if (problem !== undefined) return screen.print(screen.style.red(`${sanitise(problem)}\n`));
  screen.print(`${wanted === "" ? "Calls run" : "Calls now run"} in ${fullPath(placesOfCalls(agent).projectDir)}\n`);
}

function lineCount(text: string): string {
  const count = text.split("\n").length;
  return `${count} line${count === 1 ? "" : "s"}`;
}

/** /permissions without the full screen: shows the mode and the rules, or changes the mode. */
export async function showPermissions(words: readonly string[], { agent, screen }: Session): Promise<void> {
  const { permission, places } = agent;
  const wanted = words.join(" ");
  const mode = modeCalled(wanted);
  if (wanted !== "" && mode === undefined) return screen.print(`${await unknownMode(wanted)}\n`);
  if (mode !== undefined) permission.mode = mode;
  const listed = mode === undefined ? listRules(permission, places) : [];
  const rules = listed.map((one) => {
    const mark = placeMark(one);
    return `  ${one.rule.verdict} ${one.rule.rule}${mark === undefined ? "" : ` ${mark}`}\n`;
  });
  screen.print(`Mode: ${permissionModeTable[permission.mode].title}\n${sanitise(rules.join(""))}`);
}

/** The mode of this name, or with this title: `edits`, `allow edits`. */
export function modeCalled(wanted: string): PermissionMode | undefined {
  return permissionModes.find((mode) => mode === wanted || permissionModeTable[mode].title === wanted);
}

/** What follows a rule, by where it is saved; `undefined` for all projects. */
export function placeMark({ where }: ListedRule): string | undefined {
  if (where === "everywhere") return undefined;
  return where === "project" ? "(this project)" : "(this session)";
}

/** A rule of this session, and where the user has saved it. */
export interface ListedRule {
  readonly rule: PermissionRule;
  readonly where: RulePlace | undefined;
}

/** Returns the rules in the order in which they apply. */
export function listRules({ rules }: Pick<Permission, "rules">, places: Places): readonly ListedRule[] {
  const saved = (["project", "everywhere"] as const).flatMap((where) => {
    const { config } = readConfig(rulesDirectory(places, where));
    return (config.permission?.rules ?? []).map((rule) => ({ rule, where }));
  });
  // From the last on: an equal rule of the command line is above those that are saved.
  const listed = rules.toReversed().map((rule) => {
    const index = saved.findLastIndex(({ rule: one }) => one.verdict === rule.verdict && one.rule === rule.rule);
    const [found] = index >= 0 ? saved.splice(index, 1) : [];
    return { rule, where: found?.where };
  });
  return listed.reverse();
}

/** Says which modes there are, and which one a word probably means. */
export async function unknownMode(wanted: string): Promise<string> {
  const { nearestMode } = await import("../../help/other-agents.ts");
  const meant = nearestMode(wanted);
  const advice = meant === undefined ? "" : ` Did you mean /permissions ${meant}?`;
  const modes = permissionModes.map((mode) => [mode, permissionModeTable[mode].about] as const);
  return `No mode ${JSON.stringify(sanitiseLine(wanted))}.${advice} The modes, for calls that no rule covers:\n${narrowColumns(modes).trimEnd()}`;
}

export async function showAgents([action, wanted]: readonly string[], session: Session): Promise<void> {
  const { agent, screen } = session;
  const started = startedAgents(agent.conversation);
  if (action === undefined) return screen.print(`${renderAgents(started)}${await renderNamed(session)}`);
  const chosen = started.find(({ number }) => String(number) === wanted);
  if (action !== "end" || wanted === undefined) return screen.print("Write /agents, or /agents end N.\n");
  if (!chosen) return screen.print(`There is no agent ${sanitiseLine(wanted)}. /agents lists them.\n`);
  screen.print(`${await endOne(chosen)}\n`);
}

function renderAgents(started: readonly StartedAgent[]): string {
  if (started.length === 0) return `${noAgents}\n`;
  return started
    .map((one) => `${one.number} ${agentTitle(one)} (${agentState(one)})\n  ikigai --resume ${one.session}\n`)
    .join("");
}

export const noAgents = "No agents in this session.";

/** The agents that have a file, or how to make one. */
export async function renderNamed({ agent, model }: Session): Promise<string> {
  const registry = await agent.toolbox.current();
  const { agents: named } = await namedAgents({ ...agent.places, registry, model: model.id });
  if (named.length === 0) return "To give an agent its own instructions, write a Markdown file: /help agents\n";
  const rows = named.map(({ name, path, description }) => {
    return [sanitiseLine(name), `${sanitiseLine(description)} (${shortPath(path, agent.places)})`] as const;
  });
  return `With their own instructions:\n${narrowColumns(rows)}`;
}

/** An agent's name, if it has one, and the beginning of its task. */
export function agentTitle({ agent, task }: Pick<StartedAgent, "agent" | "task">): string {
  return sanitiseLine(`${agent === undefined ? "" : `${agent}: `}${task.replace(/\s+/g, " ").trim()}`);
}

export function agentState({ state, spent }: StartedAgent): string {
  return `${state}, ${tokenCount(spent)} tokens`;
}

/** Ends an agent; returns what to say. */
export async function endOne(agent: StartedAgent): Promise<string> {
  if (agent.state !== "running") return `It has ended: ${agentTitle(agent)}`;
  return (await agent.end()) ? `Ended: ${agentTitle(agent)}` : `Could not end: ${agentTitle(agent)}`;
}

/** The tool that writes the list. */
export const todoToolName = "todo";

/** The tasks that the model keeps for the session. */
export function readTodoList(conversation: Conversation): readonly TodoItem[] {
  return readTodos(conversation).filter((item): item is TodoItem => Object.hasOwn(todoMarks, item.status));
}

/** /todos shows the list, /todos clear empties it. */
export async function showTodos([wanted]: readonly string[], { agent, screen }: Session): Promise<void> {
  if (wanted === "clear") clearTodos(agent.conversation);
  const items = readTodoList(agent.conversation);
  if (items.length === 0) return screen.print("No tasks. The model lists them when a task has several steps.\n");
  const done = items.filter(({ status }) => status === "done").length;
  const rows = renderTodos(items, screen.style).map((row) => `  ${row}\n`);
  screen.print(`Tasks: ${done} of ${items.length} done\n${rows.join("")}`);
}
