import type { Model } from "@ikigai/agent/internal";
import type { Agent } from "../host/open-agent.ts";
import type { LineOutput } from "../render/line-output.ts";

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

/** What the user types. */
export interface LinePrompt {
  /** Whether somebody is there who can be asked. */
  readonly canAsk: boolean;
  /** The next message: a line that ends in a backslash goes on in the next one. Undefined at the end of the input. */
  read(): Promise<string | undefined>;
  /** A line, as the answer to a question; undefined when there is none to be had. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
  /** One of these letters; undefined when nobody answers. */
  choose(letters: string, signal: AbortSignal): Promise<string | undefined>;
  /** Prints something while the user may be typing. */
  aside(print: () => void): void;
  close(): void;
}
