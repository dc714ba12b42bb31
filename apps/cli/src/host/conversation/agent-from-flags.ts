// Creates the agent of a conversation from the command line, the configuration and the environment: what the command adds to `openAgent` of
// @ikigai/agent. In reading order: what an agent is here, creating one, its end, then the flags, and MCP servers that only this conversation
// has. The folder: agent-from-flags ← conversation-from-flags (which session), open-notices, mcp-file, shell-commands ← write-commands,
// conversation-home. command-tools is for commands that are no conversation.

import { join } from "node:path";
import { type AgentContext, directoryToAdd, openAgent, type Places, type ToolRules } from "@ikigai/agent/internal";
import type { RegisteredTool, Registry } from "@ikigai/core";
import type { ConversationServers, NamedServers } from "@ikigai/mcp/conversation";
import { serverNotes } from "@ikigai/mcp/notes";
import type { Model } from "@ikigai/models";
import { type PermissionRule, ruleProblem } from "@ikigai/permission";
import type { StartOptions } from "@ikigai/session";
import { beforeExit, makePrivateDirectory, namesIn, redact, shellWord } from "@ikigai/system";
import type { SessionFlags } from "../../args/parse-argv.ts";
import { UsageError } from "../../args/usage-error.ts";
import { conversationsDir, findPlaces, libexecProblem, nameDirectories } from "../places/find-places.ts";
import { binPath, bridgePath, version } from "../places/own-paths.ts";
import type { SessionWorktree } from "../places/session-worktree.ts";
import { cleanErrors } from "../terminal/stdout.ts";
import { conversationFromFlags } from "./conversation-from-flags.ts";
import { mcpFileNotice } from "./mcp-file.ts";
import { modeNotices, sandboxNotices, sayAtExit } from "./open-notices.ts";
import { guardedTools, type ShellCommands, shellCommands } from "./shell-commands.ts";

/** Everything that one conversation needs, from the command line, the configuration and the environment. */
export interface Agent extends AgentContext {
  /** The model of the mode plan, if that has its own. */
  planModel?: Model;
  /** The rules of `--allow`. */
  readonly allowed: readonly string[];
  /** The MCP servers of this conversation only. */
  readonly servers?: ConversationServers | undefined;
  /** The tools as commands in a shell. */
  readonly commands: ShellCommands;
  /** Limits of the command line, in US dollars and minutes. */
  readonly maxCost?: number | undefined;
  readonly maxMinutes?: number | undefined;
  readonly run: Run;
}

/** What this ikigai has used, what it has said about its limits, and what it works for. */
export interface Run {
  /** In US dollars. */
  cost: number;
  /** By session. */
  readonly minutes: Map<string, number>;
  readonly told: Set<string>;
  /** The command that has to end with 0 before a turn ends. */
  goal: string | undefined;
}

interface OpenAgentOptions extends Pick<StartOptions, "replayOf"> {
  /** Default: those of the working directory. */
  readonly places?: Places;
  /** MCP servers for this conversation only. They are removed when the process ends. */
  readonly servers?: ConversationServers | undefined;
  /** Where the session is listed. Default: the project. */
  readonly startedIn?: string;
  /** Whether it may start agents, and be one that another ikigai has started. */
  readonly hasAgents?: boolean;
  /** Whether its answer names stored outputs, which stay for the reader of it. */
  readonly keepsOutputs?: boolean;
  /** Whether it is a conversation with a user. */
  readonly isConversation?: boolean;
  /** Notices that come before all others. */
  readonly notices?: readonly string[];
}

/** Makes the directory of the user's tools, so that the first one can be written there at once, and removes what was left. */
function prepareHome(home: string): ReturnType<typeof removeLeftServers> {
  try {
    makePrivateDirectory(join(home, "tools"));
  } catch {
    // Nothing can be written there: the session says so.
  }
  return removeLeftServers(home);
}

/**
 * Creates an agent. Its tools are still loading when this returns; `chooseModel` gives its model. It ends with the process.
 *
 * @throws UsageError if a rule on the command line is invalid, or the session does not exist.
 */
export async function agentFromFlags(
  flags: SessionFlags,
  given: NodeJS.ProcessEnv,
  {
    replayOf,
    places: found = findPlaces(given),
    servers,
    startedIn = found.projectDir,
    hasAgents = false,
    keepsOutputs = false,
    isConversation = false,
    notices: first = [],
  }: OpenAgentOptions = {},
): Promise<Agent> {
  const places = servers ? { ...found, directories: [...found.directories, ...servers.directories] } : found;
  const commands = shellCommands(places, given);
  const { env } = commands;
  const { home } = places;
  const swept = prepareHome(home);
  const context = await openAgent({
    ...{ places, env, flags, keepsOutputs },
    readable: commands.directory,
    permission: {
      ...{ mode: flags.permissionMode, rules: allowRules(flags), isConversation },
      directories: addedDirectories(flags, places),
    },
    maxSteps: flags.maxTurns,
    takesGrant: hasAgents,
    ...(hasAgents && { bin: binPath }),
    toolNotes: serverNotes(),
    allowAdvice: (rule) => allowAdvice(rule, isConversation),
    ...commandsInTime(commands),
    openConversation(place) {
      cleanErrors((text) => redact(text, place.secrets));
      const isPrint = !isConversation;
      return conversationFromFlags(flags, { ...place, home, cwd: startedIn, isPrint, ...(replayOf && { replayOf }) });
    },
  });
  commands.guardBy(() => guardedTools(context));
  const notices = [
    ...first,
    ...[libexecProblem(env), mcpFileNotice(places, flags.serverFiles)].flatMap((notice) => notice ?? []),
    ...sandboxNotices(context.rules),
    ...modeNotices(context, { isConversation, ...flags }),
  ];
  nameDirectories(() => context.permission.directories ?? []);
  const agent: Agent = Object.assign(context, {
    // The rules of another agent may name tools that this one does not have.
    allowed: context.agents.grant ? [] : flags.allow,
    servers,
    commands,
    maxCost: flags.maxCost,
    maxMinutes: flags.maxMinutes,
    run: { cost: 0, minutes: new Map<string, number>(), told: new Set<string>(), goal: flags.goal },
    notices: [...context.notices, ...notices],
  });
  endWithProcess(agent, swept);
  return agent;
}

/** How to allow a call, or without a rule, how to work in the sandbox: the end of a sentence. */
function allowAdvice(rule: string | undefined, isConversation: boolean): string {
  if (rule === undefined) return isConversation ? "/permissions auto" : "--permission-mode auto";
  return `${isConversation ? "/permissions, or start with " : ""}--allow ${shellWord(rule)}`;
}

function endWithProcess(agent: Agent, swept: Promise<void>): void {
  const { servers, commands } = agent;
  beforeExit(() => Promise.all([agent.stop(), servers?.stop(), swept]));
  if (servers) beforeExit(() => servers.remove(), { isLast: true });
  beforeExit(commands.remove, { isLast: true });
  beforeExit(() => agent.endSession("other", sayAtExit));
  beforeExit(() => agent.release(), { isLast: true });
}

/** When the tools' commands are written: before the first call or hook that may run one. */
function commandsInTime(commands: ShellCommands) {
  const runsPrograms = ({ scope, schema }: RegisteredTool) =>
    scope !== "system" || schema.ikigai?.access?.kind === "run-command";
  return {
    found: (registry: Registry, rules: ToolRules) =>
      commands.found(
        registry,
        registry.tools.some((tool) => runsPrograms(tool) && rules.sandboxFor(tool.name) !== undefined),
      ),
    callStarts: (tool: RegisteredTool) => (runsPrograms(tool) ? commands.write() : Promise.resolve()),
    hookStarts: () => commands.write(),
  };
}

/** Removes what the MCP servers of conversations have left whose processes were killed. */
async function removeLeftServers(home: string): Promise<void> {
  if (namesIn(conversationsDir(home)).length === 0) return;
  const { removeLeftHomes } = await import("./conversation-home.ts");
  removeLeftHomes(conversationsDir(home));
}

/** The rules of `--allow`. @throws UsageError for one that is invalid. */
export function allowRules({ allow }: SessionFlags): PermissionRule[] {
  return allow.map((rule) => {
    const problem = ruleProblem(rule, "allow");
    if (problem) throw new UsageError(`--allow ${JSON.stringify(rule)} is not a rule: ${problem.message}`);
    return { verdict: "allow", rule };
  });
}

/** Enters the worktree of `--worktree`. Loaded only now: most sessions have none. @throws UsageError if there can be none. */
export async function worktreeOf(flags: SessionFlags): Promise<SessionWorktree | undefined> {
  return flags.worktree === undefined
    ? undefined
    : (await import("../places/session-worktree.ts")).enterWorktree(flags);
}

/** The directories of `--add-dir`. @throws UsageError for one that cannot be used. */
function addedDirectories({ directories = [] }: SessionFlags, places: Places): string[] {
  return directories.map((given) => {
    const found = directoryToAdd(given, places);
    if ("problem" in found) throw new UsageError(`--add-dir ${JSON.stringify(given)}: ${found.problem}`);
    return found.path;
  });
}

/** Reads the files of `--mcp`. */
export async function serversOf({ serverFiles = [] }: SessionFlags): Promise<NamedServers> {
  if (serverFiles.length === 0) return { servers: [], problems: [] };
  const { readServerFiles } = await import("@ikigai/mcp/conversation");
  return readServerFiles(serverFiles, findPlaces(process.env).projectDir);
}

/**
 * Creates an agent with MCP servers for this conversation only. None is started yet: `loadServers` does that.
 *
 * @throws UsageError like `agentFromFlags`.
 */
export async function agentWithServers(
  named: NamedServers,
  flags: SessionFlags,
  { places = findPlaces(process.env), ...given }: Omit<OpenAgentOptions, "servers"> = {},
): Promise<Agent> {
  const options = { hasAgents: true, ...given };
  if (named.servers.length + named.problems.length === 0)
    return agentFromFlags(flags, process.env, { ...options, places });
  // Loaded only now: most conversations have none.
  const { openServers } = await import("@ikigai/mcp/conversation");
  const { openConversationHome } = await import("./conversation-home.ts");
  const servers = openServers(named, places.home, () => openConversationHome(conversationsDir(places.home)));
  try {
    return await agentFromFlags(flags, process.env, { ...options, places, servers });
  } catch (error) {
    servers.remove();
    throw error;
  }
}

/** Starts the servers whose tools are not known, in the sandbox if there is one. */
export function loadServers({ servers, places, rules, env, conversation }: Agent): void {
  servers?.load({
    ...{ places, env, sessionId: conversation.id, bridge: { path: bridgePath, version } },
    sandboxFor: (tool) => rules.settingsFor(tool).sandbox,
  });
}
