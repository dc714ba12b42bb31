import type { Envelope, JsonObject, JsonValue } from "@ikigai/protocol";
import type { AgentEvent, TurnEnd } from "../turn/agent-event.ts";

/** Token counts, as `stream-json` prints them. */
export interface QueryUsage {
  /** All tokens sent, including the cached ones. */
  readonly input_tokens: number;
  /** All tokens received, including reasoning. */
  readonly output_tokens: number;
  /** Tokens sent that the provider read from its cache. */
  readonly cache_read_tokens: number;
  /** Tokens sent that the provider wrote to its cache. */
  readonly cache_write_tokens: number;
}

/** A call, and what the model got for it. */
export interface QueryCall {
  /** The tool's name. */
  readonly name: string;
  /** The arguments; a string if the model wrote no JSON object. */
  readonly arguments: JsonObject | string;
  /** Null if the task ended before the call did. */
  readonly envelope: Envelope | null;
}

/** The first object. */
export interface QuerySession {
  /** The kind of object. */
  readonly type: "session";
  /** The ID to resume. */
  readonly session_id: string;
  /** `provider/model`. */
  readonly model: string;
  /** The directory the session started in. */
  readonly cwd: string;
  /** The instruction files that the model gets. */
  readonly instructions: readonly string[];
}

/** The last object. */
export interface QueryResult {
  /** The kind of object. */
  readonly type: "result";
  /** Why the task ended. */
  readonly reason: TurnEnd["reason"];
  /** The text of the last step. */
  readonly result: string;
  /** The answer that fits `outputSchema`. */
  readonly structured?: JsonValue;
  /** The ID to resume. */
  readonly session_id: string;
  /** How many requests were answered. */
  readonly turns: number;
  /** The usage of the whole task. */
  readonly usage: QueryUsage;
  /** All calls, in order. */
  readonly tool_calls: readonly QueryCall[];
  /** One sentence for the user; absent if the task is done or was interrupted. */
  readonly error?: NonNullable<TurnEnd["error"]>;
}

type Rewritten = "tool_call" | "tool_result" | "step_end" | "turn_end";

/** An object of `stream-json`: the events of an agent, with the names and values that are printed. */
export type QueryEvent =
  | QuerySession
  | Exclude<AgentEvent, { readonly type: Rewritten }>
  | ({ readonly type: "tool_call"; readonly id: string } & Omit<QueryCall, "envelope">)
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly name: string;
      readonly envelope: Envelope;
      readonly duration_ms: number;
    }
  | {
      readonly type: "step_end";
      readonly finish: Extract<AgentEvent, { readonly type: "step_end" }>["finish"];
      readonly usage: QueryUsage;
    }
  | QueryResult;
