import { findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import {
  decide,
  factsOf,
  hostRuleFor,
  hostText,
  type PendingCall,
  type Permission,
  type Question,
  readHostText,
  seenFrom,
} from "@ikigai/permission";
import {
  type AgentOrigin,
  type JsonObject,
  type PermissionParams,
  type PermissionResult,
  textStart,
} from "@ikigai/protocol";

/** How much of a task names an agent that has no name, in characters. */
const labelLength = 60;

/**
 * Names the agent that a call starts: its name, or the beginning of its task in quotation marks. That of a tool which is not the
 * system's is named after the tool: its arguments may mean anything.
 */
function agentLabel({ name, scope }: RegisteredTool, { agent, task }: JsonObject): string {
  if (scope !== "system") return name;
  if (typeof agent === "string" && /^[\w-]+$/.test(agent)) return textStart(agent, labelLength);
  const words = String(task ?? "")
    .trim()
    .replace(/\s+/g, " ");
  const shown = textStart(words, labelLength);
  return JSON.stringify(shown === words ? shown : `${shown}…`);
}

/** The agents that a request comes through: the one that this call has started, then those that are nested in it. */
export function agentsOf(
  tool: RegisteredTool,
  args: JsonObject,
  { agents = [] }: Pick<AgentOrigin, "agents"> = {},
): readonly string[] {
  return [agentLabel(tool, args), ...agents];
}

/** What this session says about a call of an agent: a decision, or a question to the user. */
export type AgentCallVerdict = PermissionResult | { readonly question: Question };

/**
 * Decides about an agent's call as about one of this session, at this moment. The user is asked if the agent says so, or if this
 * session has no such tool: then it cannot know what the call does.
 *
 * @param callId the call that started the agent.
 */
export function decideForAgent(
  { tool: name, arguments: text, from, reason, mustAsk = false, reach }: PermissionParams,
  {
    permission,
    registry,
    callId,
  }: { readonly permission: Permission; readonly registry: Registry; readonly callId: string },
): AgentCallVerdict {
  const { directory = permission.projectDir } = from ?? {};
  const own = findTool(registry, name);
  const isOwn = own !== undefined && (from === undefined || from.path === own.path);
  const tool = isOwn ? own : foreignTool(name, from, own);
  const made: PendingCall = { id: callId, name, arguments: text };
  const call = directory === permission.projectDir ? made : seenFrom(made, tool, directory);
  const wanted = reach === undefined ? undefined : readHostText(reach);
  if (wanted) {
    const { verdict = "ask" } = hostRuleFor(wanted, permission) ?? {};
    if (verdict !== "ask") return { verdict };
    return {
      question: { call, tool, directory, host: hostText(wanted), reason: reason ?? "it wants to reach a host" },
    };
  }
  // An agent asks about what its sandbox does not hold.
  const { mode } = permission;
  const decision = decide(call, tool, { ...permission, mode: mode === "auto" ? "ask" : mode });
  if (decision.verdict === "deny") return { verdict: "deny" };
  if (decision.verdict === "allow" && isOwn && !mustAsk) return { verdict: "allow" };
  const realPath = factsOf(call, tool, permission).filePath?.real;
  const resolved = realPath !== undefined && { realPath };
  return { question: { call, tool, directory, reason: reason ?? decision.reason, ...resolved } };
}

/** The tool of a question of an agent. */
export function askingTool(from: AgentOrigin, registry: Registry): RegisteredTool {
  const own = findTool(registry, from.tool);
  return own?.path === from.path ? own : foreignTool(from.tool, from, own);
}

/** A tool that only the agent has. If this session has one of its name, its calls are read like those of that one. */
function foreignTool(name: string, from: AgentOrigin | undefined, own: RegisteredTool | undefined): RegisteredTool {
  const { scope = "project", path = "/" } = from ?? {};
  const system = own?.system ?? (own?.scope === "system" ? own.schema : undefined);
  return {
    ...{ name, path, scope: scope === "system" ? "user" : scope },
    schema: { name, description: "", parameters: { type: "object", properties: {} } },
    identity: { realPath: path, stamp: "" },
    ...{ shadows: [], warnings: [] },
    ...(system !== undefined && { system }),
  };
}
