// What a host does for tools that ask it during a call, and which tools may ask for what: questions, permission, drawings, jobs, agents.
import {
  type AskParams,
  type AskResult,
  type HostMethod,
  hostMethods,
  type JobParams,
  type JobResult,
  type PermissionParams,
  type PermissionResult,
  type ShowParams,
  type ShowResult,
  type ToolEnvironment,
} from "@ikigai/protocol";
import type { RegisteredTool } from "../registry/registry.ts";

/** Who makes a request. */
export interface Requester {
  /** The tool that is called. */
  readonly tool: RegisteredTool;
  /** The call. */
  readonly callId: string;
}

/** A question with every default filled in. `from` is only there if the tool starts agents. */
export type Question = Required<Omit<AskParams, "from">> & Pick<AskParams, "from">;

/** Carries out a request. */
export type HostFunction<Params, Result> = (
  params: Params,
  requester: Requester,
  signal: AbortSignal,
) => Promise<Result | undefined>;

/**
 * What a host does for tools that ask it during a call. A method that is absent does not work. A method returns `undefined` if no one
 * can be asked any more, and soon after its signal is aborted: then its result is not used.
 */
export interface HostApi {
  /** Puts a question to the user. */
  readonly ask?: HostFunction<Question, AskResult> | undefined;
  /** Decides whether an agent that the tool has started may make a call. */
  readonly permission?: HostFunction<PermissionParams, PermissionResult> | undefined;
  /** Draws something for the user at once. */
  readonly show?: HostFunction<ShowParams, ShowResult> | undefined;
  /** Does something with the jobs of the conversation. */
  readonly job?: HostFunction<JobParams, JobResult> | undefined;
  /** How long one request may take, in milliseconds. Default: 10 minutes. */
  readonly maxWaitMs?: number | undefined;
}

/** Whether calls of a tool may make requests, so that each needs a process of its own. */
export function makesRequests({ schema: { ikigai = {} } }: Pick<RegisteredTool, "schema">): boolean {
  const { host = [] } = ikigai;
  return hostMethods.some((method) => host.includes(method));
}

/**
 * Returns the methods that work in a call: those that its tool declares and the host has, `permission` only if the tool may start
 * agents. None on other machines, where descriptor 3 does not reach, and none in a service.
 */
export function methodsFor(tool: RegisteredTool, api: HostApi = {}): HostMethod[] {
  const { schema, launcher } = tool;
  const { host = [] } = schema.ikigai ?? {};
  if (launcher) return [];
  const works = (method: HostMethod) => method !== "permission" || startsAgents(tool);
  return hostMethods.filter((method) => host.includes(method) && api[method] !== undefined && works(method));
}

/** What a host gives a call that may start an agent. */
export interface AgentVariables {
  /** The program that runs the agent. */
  readonly bin: string;
  /** What the agent may do, as JSON. */
  readonly grant: string;
}

/**
 * Whether a tool may start agents. Never a project's tool. One process answers one call: a grant is that of its call, and another
 * machine has another host.
 */
export function startsAgents({ schema: { ikigai = {} }, scope, launcher }: RegisteredTool): boolean {
  const { agent, serves, service } = ikigai;
  return agent === true && scope !== "project" && !launcher && serves !== true && service === undefined;
}

/** Returns the variables of a call that may start an agent; none for any other call. */
export function agentVariables(
  tool: RegisteredTool,
  agent: AgentVariables | undefined,
): Pick<ToolEnvironment, "IKIGAI_BIN" | "IKIGAI_AGENT_GRANT"> {
  return agent && startsAgents(tool) ? { IKIGAI_BIN: agent.bin, IKIGAI_AGENT_GRANT: agent.grant } : {};
}
