import type { AgentEvent } from "@ikigai/agent/internal";
import type { FileChange } from "../../render/file-change.ts";
import type { ShownCall } from "../../render/render-call.ts";
import type { AskedQuestion } from "./asked-question.ts";

export type Progress = Extract<AgentEvent, { type: "tool_progress" }>["progress"];

/** What is known of a call. */
export interface CallState {
  call: ShownCall;
  phase: "written" | "waiting" | "running" | "done" | "dropped";
  asked: AskedQuestion | undefined;
  change: FileChange | undefined;
  progress: Progress | undefined;
  startedMs: number;
  isFailed: boolean;
}
