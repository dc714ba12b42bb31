import type { ToolScope } from "@ikigai/protocol";
import type { ProviderMetadata } from "../model/message.ts";
import type { FinishReason } from "../model/model.ts";
import type { Usage } from "../model/usage.ts";

/** What is started for a call: enough to make it again. */
export interface ToolStart {
  readonly path: string;
  readonly scope?: ToolScope;
  readonly cwd?: string;
  /** Of the executable; absent when it could not be read. */
  readonly sha256?: string;
  /** The sandbox it ran in; absent without one. */
  readonly sandbox?: { readonly network: boolean };
  /** The protocol's variables, as far as the rest does not tell them. */
  readonly env?: Readonly<Record<string, string>>;
}

/** An image as the log names it. */
export interface KeptImage {
  readonly mediaType: string;
  readonly path: string;
}

/** What is written to a session's log, one JSON object a line, in the order it happened. */
export type SessionEvent =
  /** Always the first line. */
  | { readonly type: "session"; readonly version: 1; readonly id: string; readonly cwd: string }
  | {
      readonly type: "user";
      readonly text: string;
      readonly images?: readonly KeptImage[];
      /** It tells of a call the user made. */
      readonly typed?: true;
    }
  /** A call that the user made; what came of it is told by the next thing they say. */
  | { readonly type: "typed_call"; readonly id: string; readonly name: string; readonly arguments: string }
  /** The model does not take images: those said until here are not sent any more. */
  | { readonly type: "drop_images" }
  /** The parts of a step, written when the step has ended, before anything is done about them. */
  | { readonly type: "text"; readonly text: string; readonly metadata?: ProviderMetadata }
  | { readonly type: "reasoning"; readonly text: string; readonly metadata?: ProviderMetadata }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly arguments: string;
      readonly metadata?: ProviderMetadata;
    }
  | {
      readonly type: "step_end";
      readonly model: string;
      readonly finish: FinishReason | "interrupted" | "failed";
      readonly usage: Usage;
    }
  /** How many events of which unknown kinds a model's answer had, which were left out. */
  | { readonly type: "skipped"; readonly kinds: Readonly<Record<string, number>> }
  /** The executable is about to start. Sessions before 0.2 have the path only. */
  | ({ readonly type: "tool_start"; readonly id: string } & ToolStart)
  /** `json` is the envelope's exact text; `overflowFile` has the whole answer when it was cut to fit. */
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly name: string;
      readonly json: string;
      readonly durationMs: number;
      readonly overflowFile?: string;
    }
  /** Old results were shortened to make room; they are in files of that directory, if there is one. */
  | { readonly type: "compact"; readonly before: number; readonly directory?: string }
  /** What a request cost that is no step of the conversation: one for a summary. */
  | { readonly type: "spent"; readonly model: string; readonly usage: Usage }
  /** So many messages, from the beginning, were replaced by a text. */
  | { readonly type: "summary"; readonly before: number; readonly text: string }
  /** Before a call changes a file: where a copy of it is kept; `null` when there is no file yet. */
  | {
      readonly type: "checkpoint";
      readonly id: string;
      /** Without links. */
      readonly path: string;
      readonly kept: string | null;
      /** Names the directory it lies in, whatever that is called: another one may have its name later. */
      readonly parent?: string;
      readonly mode?: number;
      readonly uid?: number;
      readonly gid?: number;
    }
  /** How a call has left that file; `null` when there is none. */
  | { readonly type: "changed"; readonly id: string; readonly path: string; readonly sha256: string | null }
  /** The conversation goes on as if nothing had been said since that line, which is the user's. */
  | { readonly type: "rewind"; readonly to: number }
  /** So many lines were to be here. They could not be written, and were too many to be kept until they could. */
  | { readonly type: "lost"; readonly lines: number }
  | { readonly type: "turn_end"; readonly reason: TurnEndReason; readonly error?: string };

/** Why a turn is over. */
export type TurnEndReason =
  /** The model has nothing more to do. */
  | "done"
  /** The user stopped it. */
  | "interrupted"
  | "failed"
  /** It took as many steps as were allowed. */
  | "max_steps"
  /** The same call failed again and again without progress. */
  | "loop";

/** A line of the log. `seq` orders; `time` is for people, as clocks go back. */
export type SessionLine = SessionEvent & { readonly seq: number; readonly time: string };
