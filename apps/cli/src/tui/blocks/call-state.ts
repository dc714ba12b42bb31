import type { AgentEvent, Question } from "@ikigai/agent";
import type { FileChange } from "../../screen/file-change.ts";
import type { ShownCall } from "../../screen/render-call.ts";

export type Progress = Extract<AgentEvent, { type: "tool_progress" }>["progress"];

/** What is known of a call. */
export interface CallState {
  call: ShownCall;
  phase: "written" | "waiting" | "running" | "done" | "dropped";
  question: Question | undefined;
  change: FileChange | undefined;
  progress: Progress | undefined;
  startedMs: number;
  isFailed: boolean;
}
