import type { AskResult } from "@ikigai/protocol";
import type { AssistantPart } from "../model/message.ts";
import type { ShownVisual } from "../model/shown-visual.ts";
import type { Usage } from "../model/usage.ts";
import type { SessionEvent, ToolStart } from "../session/session-event.ts";

/** A call of a session and its result. */
export interface RecordedCall {
  readonly id: string;
  /** Whether the user made it, not the model. */
  readonly typed?: true;
  readonly name: string;
  /** As the tool received them. */
  readonly arguments: string;
  /** When it was made. */
  readonly time: Date;
  /** Absent if no executable was started: denied, interrupted before its turn, or no such tool. */
  readonly start?: ToolStart;
  /** The questions that it put to the user, in order, and their answers. */
  readonly questions?: readonly RecordedQuestion[];
  /** Absent if the session ended first. */
  readonly result?: {
    readonly json: string;
    readonly durationMs: number;
    /** The file with the whole result, if it was cut. */
    readonly overflowFile?: string;
    /** What was drawn, without what the tool showed during the call. */
    readonly visuals?: readonly ShownVisual[];
  };
  /** What the tool showed during the call. */
  readonly shown?: readonly ShownVisual[];
}

/** A question of a tool and what the user said. */
export interface RecordedQuestion {
  readonly question: string;
  readonly result: AskResult;
}

/** One response of the model. */
export interface RecordedStep {
  readonly parts: readonly AssistantPart[];
  readonly model: string;
  readonly finish: Extract<SessionEvent, { type: "step_end" }>["finish"];
  readonly usage: Usage;
}

/** A session in a form that can be inspected and replayed. */
export interface Recording {
  readonly id: string;
  /** The directory it started in. */
  readonly cwd: string;
  /** The session that it replays; absent if its calls ran. */
  readonly replayOf?: string;
  /** The user's first message; absent without one. */
  readonly firstMessage?: string;
  /** In the order they were made. */
  readonly calls: readonly RecordedCall[];
  readonly steps: readonly RecordedStep[];
}
