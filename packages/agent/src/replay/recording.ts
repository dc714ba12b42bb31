import type { AssistantPart } from "../model/message.ts";
import type { Usage } from "../model/usage.ts";
import type { SessionEvent, ToolStart } from "../session/session-event.ts";

/** A call of a session, and what became of it. */
export interface RecordedCall {
  readonly id: string;
  /** The user made it, not the model. */
  readonly typed?: true;
  readonly name: string;
  /** As the tool got them. */
  readonly arguments: string;
  /** When it was made. */
  readonly time: Date;
  /** Absent when no executable was started: it was refused, interrupted before its turn, or there was none. */
  readonly start?: ToolStart;
  /** Absent when the session ended first. */
  readonly result?: {
    readonly json: string;
    readonly durationMs: number;
    /** Where the whole answer was when it had to be cut. */
    readonly overflowFile?: string;
  };
}

/** One answer of the model. */
export interface RecordedStep {
  readonly parts: readonly AssistantPart[];
  readonly model: string;
  readonly finish: Extract<SessionEvent, { type: "step_end" }>["finish"];
  readonly usage: Usage;
}

/** A session as what it was made of, so that it can be looked at and played again. */
export interface Recording {
  readonly id: string;
  /** The directory it was started in. */
  readonly cwd: string;
  /** What the user said first; absent when nothing was said. */
  readonly firstMessage?: string;
  /** In the order in which they were made. */
  readonly calls: readonly RecordedCall[];
  readonly steps: readonly RecordedStep[];
}
