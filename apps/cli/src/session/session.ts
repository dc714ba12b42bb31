import type { Model } from "@ikigai/agent/internal";
import type { Agent } from "../host/open-agent.ts";
import type { LineOutput } from "../render/line-output.ts";
import type { LinePrompt } from "./line-prompt.ts";

/** What the parts of the REPL share. A plain value: nobody owns it. */
export interface Session {
  readonly agent: Agent;
  readonly screen: LineOutput;
  readonly input: LinePrompt;
  /** May be exchanged between two messages. */
  model: Model;
  /** The user wants to leave. */
  isOver: boolean;
  /** A message could not be answered. */
  hasFailed: boolean;
  /** What has been said about tools that cannot be used, so that it is said once. */
  readonly told: Set<string>;
}
