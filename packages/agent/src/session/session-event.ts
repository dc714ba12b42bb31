import { failedOutcome } from "@ikigai/core/internal";
import type { FinishReason, ProviderMetadata, ShownVisual, ThinkingLevel, Usage } from "@ikigai/models";
import type { AskResult, QuestionKind, ToolScope } from "@ikigai/protocol";

/** What was started for a call: enough to repeat it. */
export interface ToolStart {
  readonly path: string;
  readonly scope?: ToolScope;
  readonly cwd?: string;
  /** The executable's SHA-256; absent if it could not be read. */
  readonly sha256?: string;
  /** The sandbox it ran in; absent without one. */
  readonly sandbox?: { readonly network: boolean };
  /** Whether it ran behind a launcher: then `path` is the launcher's command line. */
  readonly launched?: boolean;
  /** The protocol's variables that the other fields do not imply. */
  readonly env?: Readonly<Record<string, string>>;
  /** What the tool got, if a hook changed the arguments that the model wrote. */
  readonly arguments?: string;
}

/** An image or a document as named in the log. */
export interface KeptImage {
  readonly mediaType: string;
  readonly path: string;
}

/** What a call exchanged with a host: its name, with a port if it is not that of http or https, and the bytes to it and from it. */
export interface HostUse {
  readonly host: string;
  readonly sent: number;
  readonly received: number;
  /** Why it was refused, if it was. */
  readonly refused?: string | undefined;
}

/** The call that started an agent. */
export interface SessionParent {
  readonly session: string;
  readonly call: string;
}

/** An event in a session's log, one JSON object per line, in the order they happened. */
export type SessionEvent =
  /** Always the first line. */
  | {
      readonly type: "session";
      readonly version: 1;
      readonly id: string;
      readonly cwd: string;
      /** ikigai itself asked, not the user: lists leave the session out. */
      readonly isOwn?: true;
      /** A task that a program started, with `-p`: `lastConversation` skips it. */
      readonly isPrint?: true;
      /** The session whose recorded results answered the calls, none of which ran: lists leave this one out. */
      readonly replayOf?: string;
      /** The session and the call that started this one's agent: lists leave it out. */
      readonly parent?: SessionParent;
    }
  | {
      readonly type: "user";
      readonly text: string;
      readonly images?: readonly KeptImage[];
      /** What hooks added for the model. */
      readonly context?: string;
      /** The parts of the system prompt that have changed. */
      readonly changed?: Readonly<Record<string, string>>;
      /** Whether it reports a call by the user. */
      readonly typed?: true;
    }
  /** A user talks on in what a program started. */
  | { readonly type: "taken_up" }
  /** The system prompt of the conversation, in parts, and the names of its tools, before the first message and the first one after a summary. */
  | { readonly type: "prompt"; readonly parts: Readonly<Record<string, string>>; readonly tools?: readonly string[] }
  /** A call by the user; their next message reports its result. */
  | { readonly type: "typed_call"; readonly id: string; readonly name: string; readonly arguments: string }
  /** The model does not accept images: those sent so far are no longer sent. */
  | { readonly type: "drop_images" }
  /** The server does not accept the reasoning so far: it is no longer sent. */
  | { readonly type: "drop_reasoning" }
  /** The parts of a step, written when the step has ended and before they take effect. */
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
      /** How much the model was to reason; absent for the provider's default. */
      readonly thinking?: ThinkingLevel;
      readonly finish: FinishReason | "interrupted" | "failed";
      readonly usage: Usage;
    }
  /** The user has chosen a model or thinking level for the following turns. */
  | { readonly type: "use"; readonly model: string; readonly thinking?: ThinkingLevel }
  /** How many events of which unknown kinds were skipped in a response. */
  | { readonly type: "skipped"; readonly kinds: Readonly<Record<string, number>> }
  /** The executable is about to start. Sessions before 0.2 have only the path. */
  | ({ readonly type: "tool_start"; readonly id: string } & ToolStart)
  /** A question of a tool, during the call `id`, after the user has answered or refused it. */
  | ({
      readonly type: "question";
      readonly id: string;
      readonly question: string;
      readonly kind: QuestionKind;
      readonly options: readonly string[];
    } & AskResult)
  /** What went through the door of the sandbox's network during the call `id`. */
  | { readonly type: "network"; readonly id: string; readonly hosts: readonly HostUse[] }
  /** A tool has shown something during the call `id`. */
  | { readonly type: "shown"; readonly id: string; readonly visuals: readonly ShownVisual[] }
  /** `json` is the envelope's exact text; `overflowFile` has the whole result if it was cut. */
  | {
      readonly type: "tool_result";
      readonly id: string;
      readonly name: string;
      readonly json: string;
      readonly durationMs: number;
      readonly overflowFile?: string;
      readonly images?: readonly KeptImage[];
      /** What was drawn for the user besides what the tool showed during the call: images without their content. */
      readonly visuals?: readonly ShownVisual[];
    }
  /** A call of a tool that loads others named these: their schemas are part of the requests from now on. */
  | { readonly type: "introduced"; readonly names: readonly string[] }
  /** These tools came later: requests have them last. */
  | { readonly type: "tools"; readonly names: readonly string[] }
  /** Old results were shortened to make room; they are in files of that directory, if there is one. */
  | { readonly type: "compact"; readonly before: number; readonly directory?: string }
  /** The usage of a request that is not a step of the conversation: one for a summary. */
  | { readonly type: "spent"; readonly model: string; readonly usage: Usage }
  /** A number of messages, from the first one, were replaced with a text. */
  | { readonly type: "summary"; readonly before: number; readonly text: string }
  /** Before a call changes a file: where its copy is; `null` if the file does not exist yet. */
  | {
      readonly type: "checkpoint";
      readonly id: string;
      /** Symlinks resolved. */
      readonly path: string;
      readonly kept: string | null;
      /** Identifies its directory, even if another directory takes that name later. */
      readonly parent?: string;
      readonly mode?: number;
      readonly uid?: number;
      readonly gid?: number;
    }
  /** The file's state after a call; `null` if it does not exist. */
  | { readonly type: "changed"; readonly id: string; readonly path: string; readonly sha256: string | null }
  /** A hook was run. `id`: the call it was run for. */
  | {
      readonly type: "hook";
      readonly event: string;
      readonly path: string;
      readonly scope: ToolScope;
      readonly durationMs: number;
      readonly id?: string;
      /** Why its answer does not count. */
      readonly problem?: string;
      readonly decision?: string;
      readonly reason?: string;
      /** The arguments that it gave the call. */
      readonly arguments?: string;
    }
  /** The conversation continues from before that line, which is a user message. */
  | { readonly type: "rewind"; readonly to: number }
  /** How many lines are missing here because they could not be written and were too many to keep pending. */
  | { readonly type: "lost"; readonly lines: number }
  | { readonly type: "turn_end"; readonly reason: TurnEndReason; readonly error?: string };

/** Why a turn ended. */
export type TurnEndReason =
  /** The model made no more calls. */
  | "done"
  /** The user stopped it. */
  | "interrupted"
  | "failed"
  /** The turn reached its maximum number of steps. */
  | "max_steps"
  /** The same call kept failing without progress. */
  | "loop";

/** A line of the log, ordered by `seq`. `time` is for people, because clocks can go back. */
export type SessionLine = SessionEvent & { readonly seq: number; readonly time: string };

/** The result of a call that was running when the session ended. */
export const { json: cancelledJson } = failedOutcome(
  "TOOL_CANCELLED",
  "The session ended before this call had a result. It is unknown whether it took effect.",
);
