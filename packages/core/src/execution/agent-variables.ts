import type { ToolEnvironment } from "@ikigai/protocol";
import type { RegisteredTool } from "../registry/registry.ts";

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
