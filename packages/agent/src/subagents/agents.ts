import type { RegisteredTool } from "@ikigai/core";
import { agentDepth, startsAgents } from "@ikigai/core/internal";
import { AgentError, type Conversation } from "@ikigai/session";
import { limitParallel } from "@ikigai/system";
import type { Config } from "../config/config.ts";
import type { SandboxFlags } from "../config/tool-settings.ts";
import type { AgentRights, Agents, HeldGrant } from "./agent-state.ts";
import { isGrantedTool } from "./grant.ts";

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

/**
 * Returns what the agent that started this process grants it; `undefined` if none did. Its code is loaded only by agents.
 *
 * @throws AgentError `grant` if it cannot be read: nothing may run then.
 */
export async function heldGrant({ IKIGAI_AGENT_GRANT: text }: NodeJS.ProcessEnv): Promise<HeldGrant | undefined> {
  return text === undefined ? undefined : (await import("./held-grant.ts")).holdGrant(text);
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
