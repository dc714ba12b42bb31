import type { Model } from "@ikigai/models";
import type { Agent } from "../host/conversation/open-agent.ts";
import type { LineOutput } from "../render/line-output.ts";

/** The shared state of the REPL, a plain value. */
export interface Session {
  readonly agent: Agent;
  readonly screen: LineOutput;
  readonly input: LinePrompt;
  /** The model of the mode: `models.plan`, if that is set, has the mode plan. May change between two messages. */
  model: Model;
  /** The user wants to quit. */
  isOver: boolean;
  /** A message could not be answered. */
  hasFailed: boolean;
  /** Load errors that were already reported. */
  readonly told: Set<string>;
}

/** Opens a session. Setting its model sets that of the current mode. */
export function openSession(
  { agent, screen, input }: Pick<Session, "agent" | "screen" | "input">,
  model: Model,
): Session {
  return modelOfMode({ agent, screen, input, isOver: false, hasFailed: false, told: new Set<string>() }, model);
}

/** Adds the model of the current mode to a state. Setting it sets that of the mode. */
export function modelOfMode<State extends Pick<Session, "agent">>(
  state: State,
  model: Model,
): State & Pick<Session, "model"> {
  const { agent } = state;
  let current = model;
  const isPlanned = () => agent.planModel !== undefined && agent.permission.mode === "plan";
  const property = {
    get model() {
      return (isPlanned() ? agent.planModel : undefined) ?? current;
    },
    set model(wanted) {
      if (isPlanned()) agent.planModel = wanted;
      else current = wanted;
    },
  };
  return Object.defineProperties(state, Object.getOwnPropertyDescriptors(property)) as State & typeof property;
}

/** Runs something that Esc or Ctrl-C stops, as the screen has it. */
export type Interruptible = <Result>(run: (signal: AbortSignal) => Promise<Result>) => Promise<Result>;

/** The user's input. */
export interface LinePrompt {
  /** Whether there is a user to ask. */
  readonly canAsk: boolean;
  /**
   * Reads the next message: a line that ends in a backslash continues on the next one. Undefined at end of input, and if the signal is
   * aborted before the message has begun.
   */
  read(until: AbortSignal): Promise<string | undefined>;
  /** Asks a question; undefined at end of input. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined>;
  /** Reads one of these letters, "yes" or "no"; undefined without an answer. @param because is called with a reason behind "no" */
  choose(letters: string, signal: AbortSignal, because?: (words: string) => void): Promise<string | undefined>;
  /** Prints something while the user may be typing. */
  aside(print: () => void): void;
  close(): void;
}
