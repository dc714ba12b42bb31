// The agents of a conversation. In order: the types, what this process may do with agents, opening them, the tools that they leave
// to the model, and the agents with instructions of their own. If this process is an agent, its grant limits all of that.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { RegisteredTool, Registry } from "@ikigai/core";
import { addedPackages, agentDepth, startsAgents } from "@ikigai/core/internal";
import type { UserMessage } from "@ikigai/models";
import type { PermissionLimit } from "@ikigai/permission";
import { AgentError, type Conversation } from "@ikigai/session";
import { limitParallel } from "@ikigai/system";
import type { Config } from "../config/config.ts";
import type { SandboxFlags } from "../config/tool-settings.ts";
import type { FoundAgents } from "./agent-files.ts";
import { type Grant, isGrantedTool } from "./grant.ts";
import type { ParentUser } from "./question-link.ts";

/** What a process may do with agents. */
export interface AgentRights {
  /** The program that runs them; without it no agent is started. */
  readonly bin: string | undefined;
  /** How deeply this process is nested: 0 for the user's own. */
  readonly depth: number;
  readonly maxDepth: number;
  readonly maxTokens: number;
  /** How many agents a session may start. */
  readonly maxStarted: number;
  /** What the agent that started this one grants. */
  readonly grant: Grant | undefined;
}

/** What a conversation knows about agents: those that it may start, and the one that it is. */
export interface Agents extends AgentRights {
  /** The slot of this agent in the session that started it. */
  readonly ownSlot: OwnSlot | undefined;
  /** The user of that session, if this agent can ask. */
  readonly parentUser: ParentUser | undefined;
  /** Calls that are starting an agent or wait for one, with their slots. */
  readonly starting: Map<string, number>;
  /** Returns those of the problems with files of agents that the user has not been told. */
  newProblems(problems: readonly string[]): readonly string[];
  /** Runs a call when fewer than `maxRunning` others are running. */
  readonly limit: <Value>(run: () => Promise<Value>) => Promise<Value>;
}

/** This agent's slot in the session that started it. */
export interface OwnSlot {
  /** Returns how many tokens the agent may still use, with the agents that it starts. */
  left(agents: Agents, conversation: Conversation): number;
  /** Records how many tokens it has used. A full disk costs the agent its whole share. */
  record(agents: Agents, conversation: Conversation, isOver: boolean): void;
  /** Takes the messages to this agent. */
  takeMessages(conversation: Conversation): readonly Pick<UserMessage, "text">[];
}

/** What an agent may do, and what keeps it to that. */
export interface HeldGrant {
  readonly grant: Grant;
  /** Returns what limits the permission of the agent; see `limitsFor`. */
  limitsFor(place: AgentPlace): PermissionLimit[];
  /** Returns the user of the session that started the agent; `undefined` if it cannot ask. @param directory where the agent works. */
  parentUser(env: NodeJS.ProcessEnv, directory: string): ParentUser | undefined;
  /** Uses up the grant; see `claimOwnSlot`. */
  claim(home: string, conversation: Conversation): OwnSlot;
}

/** Where an agent runs. */
export interface AgentPlace {
  readonly userHome: string;
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
}

/** How deep agents may start agents if the user has not configured it: those of the user's own session start none. */
const defaultMaxDepth = 1;

/** How many tokens the agents of a session may use together if the user has not configured it: enough for a day of work. */
const defaultMaxTokens = 10_000_000;

/** How many agents a session may start if the user has not configured it. */
const defaultMaxStarted = 100;

/** How many agents of a session run at once. */
export const maxRunning = 4;

/** How deep ikigai may run in ikigai: a tool or a hook that starts ikigai, which calls it again, would never end. */
const maxNesting = 8;

/**
 * Returns what this process may do with agents.
 *
 * @throws AgentError `grant` if it is nested too deeply, or an agent does something other than a task.
 */
export function agentRights(
  { agents = {} }: Config,
  env: NodeJS.ProcessEnv,
  { bin, held }: { readonly bin: string | undefined; readonly held: HeldGrant | undefined },
): AgentRights {
  const { grant } = held ?? {};
  if (!held && env.IKIGAI_AGENT_GRANT !== undefined) {
    throw new AgentError("grant", "IKIGAI_AGENT_GRANT is set, but an agent only does a task: ikigai -p.");
  }
  const depth = Math.max(agentDepth(env), grant?.depth ?? 0);
  if (depth > maxNesting) {
    const what = `This ikigai would run inside ${depth} others; at most ${maxNesting} are allowed.`;
    throw new AgentError("grant", `${what} Check what its tools and hooks start, and IKIGAI_DEPTH.`);
  }
  const { maxDepth = defaultMaxDepth, maxTokens = defaultMaxTokens, maxStarted = defaultMaxStarted } = agents;
  return { bin, depth, maxDepth: Math.min(maxDepth, grant?.maxDepth ?? maxDepth), maxTokens, maxStarted, grant };
}

/** Where the agents of a conversation are opened. */
export interface OpenAgentsOptions {
  /** The user's directory. */
  readonly home: string;
  readonly projectDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly conversation: Conversation;
}

/**
 * Opens the agents of a conversation. If this process is an agent, uses up its grant.
 *
 * @throws AgentError `grant` if the grant has been used, or its use cannot be recorded.
 */
export function openAgents(
  rights: AgentRights,
  held: HeldGrant | undefined,
  { home, projectDir, env, conversation }: OpenAgentsOptions,
): Agents {
  const ownSlot = held?.claim(home, conversation);
  const parentUser = held?.parentUser(env, projectDir);
  const told = new Set<string>();
  return {
    ...{ ...rights, ownSlot, parentUser, starting: new Map() },
    newProblems(problems) {
      const news = problems.filter((problem) => !told.has(problem));
      for (const problem of news) told.add(problem);
      return news;
    },
    limit: limitParallel(maxRunning),
  };
}

/** Whether the model sees a tool: an agent may have fewer, and none at the greatest depth can start agents. */
export function isOffered({ bin, depth, maxDepth, grant }: AgentRights, tool: RegisteredTool, home: string): boolean {
  if (grant?.tools && !grant.tools.includes(tool.name)) return false;
  if (grant && !isGrantedTool(tool, grant.directoryTools, home)) return false;
  return !startsAgents(tool) || (bin !== undefined && depth < maxDepth);
}

/** Records what an agent has used; does nothing for the user's own session. */
export function recordSpent(agents: Agents, conversation: Conversation, isOver = false): void {
  agents.ownSlot?.record(agents, conversation, isOver);
}

/** Returns the sandbox of the command line, but no wider than a grant. */
export function withinGrant<Flags extends SandboxFlags>(
  flags: Flags,
  held: HeldGrant | undefined,
): Flags & SandboxFlags {
  const { sandbox } = held?.grant ?? {};
  if (!sandbox) return flags;
  return { ...flags, sandbox: true, ...(!sandbox.network && { sandboxNetwork: false }) };
}

/** Where the agents of a conversation are, and what they can choose from. */
export interface NamedAgentsScene {
  readonly home: string;
  /** Default: no project, so that these are the user's own agents. */
  readonly projectDir?: string;
  /** Default: they are found whatever the tools are. */
  readonly registry?: Registry;
  /** `provider/model` of the conversation. */
  readonly model?: string;
}

/** Returns the agents with instructions of their own; none if no tool starts agents. */
export async function namedAgents({
  home,
  projectDir = home,
  registry,
  model = "",
}: NamedAgentsScene): Promise<FoundAgents> {
  const places = [...addedPackages(home).map(({ folder }) => folder), home, join(projectDir, ".ikigai")];
  const hasFiles = () => places.some((path) => existsSync(join(path, "agents")));
  if ((registry && !registry.tools.some(startsAgents)) || !hasFiles()) return { agents: [], problems: [], remarks: [] };
  // Loaded only now: most users have no such files.
  const { findAgents } = await import("./agent-files.ts");
  return findAgents({ home, projectDir, model, tools: (registry?.tools ?? []).map(({ name }) => name) });
}
