import { type FailureDetails, ToolFailure } from "@ikigai/tool-sdk";

/** What is known about an agent that has run: fields of the answer. */
export interface AgentFacts {
  session_id: string;
  turns: number;
  calls: number;
  usage: Record<string, number>;
  denied?: string[];
}

/** Why an agent has no answer, besides the protocol's codes. */
export type AgentErrorCode =
  /** The host gives this call no right to start agents. */
  | "NO_AGENTS"
  /** The tokens for agents, or those of this agent, are used up. */
  | "BUDGET_SPENT"
  /** The agent ended without an answer. */
  | "AGENT_FAILED"
  /** The time of a call that waits is up. */
  | "STILL_RUNNING"
  /** A message is for an agent that has ended, or that does not read its messages. */
  | "NOT_SENT";

/** Facts about an agent that failed: fields of the answer. */
export interface AgentFailureDetails extends FailureDetails, Partial<AgentFacts> {
  /** Where its changes are, and on which branch. */
  readonly worktree?: string;
  readonly branch?: string;
  /** What it said last. */
  readonly output?: string;
}

/** An agent that could not be started, or that failed. */
export class AgentFailure extends ToolFailure<string> {
  constructor(code: AgentErrorCode | "INVALID_ARG" | "NOT_FOUND", message: string, details: AgentFailureDetails = {}) {
    super(code, message, details);
  }
}
