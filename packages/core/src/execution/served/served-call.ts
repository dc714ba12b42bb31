import type { Progress } from "@ikigai/protocol";
import type { HeadAndTail } from "@ikigai/system";
import type { CallSweep } from "../../leftovers/served-sweep.ts";
import type { ToolProcess } from "../../process/start-process.ts";
import type { OutputCollector } from "../output-collector.ts";
import type { Reply } from "./reply-reader.ts";

/** Where the output of a call goes. */
export interface CallSink {
  readonly output: OutputCollector;
  readonly stderr: HeadAndTail;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** A call that a process is working on. */
export interface CallInProcess {
  readonly tool: ToolProcess;
  readonly reply: Promise<Reply>;
  readonly sweep: CallSweep;
}

/**
 * `cleaning`: it has answered and not said yet that it is ready. Only a process that waits is given a call.
 */
export type ServedState = "starting" | "waiting" | "taken" | "cleaning" | "over";
