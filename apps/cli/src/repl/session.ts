import type { Agent } from "../open-agent.ts";
import type { Input } from "./input.ts";
import type { Screen } from "./screen.ts";

/** What the parts of the REPL share. A plain value: nobody owns it. */
export interface Session {
  readonly agent: Agent;
  readonly screen: Screen;
  readonly input: Input;
  /** Whether somebody sits there who can be asked. */
  readonly isTerminal: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** What has been said about tools that failed, so that it is said once. */
  readonly seenFailures: Set<string>;
  /** What the user did beside the conversation; the next message tells the model of it. */
  readonly asides: string[];
  /** Stops what is going on, if anything is. */
  interrupt?: (() => void) | undefined;
}
