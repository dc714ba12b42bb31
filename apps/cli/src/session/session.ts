import type { Model } from "@ikigai/agent/internal";
import type { Agent } from "../host/open-agent.ts";
import type { Screen } from "../render/screen.ts";
import type { Input } from "./input.ts";

/** What the parts of the REPL share. A plain value: nobody owns it. */
export interface Session {
  readonly agent: Agent;
  readonly screen: Screen;
  readonly input: Input;
  /** May be exchanged between two messages. */
  model: Model;
  /** The user wants to leave. */
  isOver: boolean;
  /** A message could not be answered. */
  hasFailed: boolean;
  /** What has been said about tools that cannot be used, so that it is said once. */
  readonly told: Set<string>;
}
