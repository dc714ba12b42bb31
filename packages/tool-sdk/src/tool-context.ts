import type { Progress, ToolErrorCode } from "@ikigai/protocol";
import { reportProgress } from "./report-progress.ts";
import type { StopSignal } from "./stop-signal.ts";
import { stopAt } from "./stop-time.ts";
import { type FailureDetails, ToolFailure } from "./tool-failure.ts";

/** What `run` gets besides its arguments. The functions work without their object, so `run` may destructure it. */
export interface ToolContext<Code extends string = ToolErrorCode> {
  /** The largest answer the host accepts, in bytes; `Infinity` without a host. `serve` cuts a longer answer. */
  readonly maxOutputBytes: number;
  /** When to stop and answer with what there is, by the clock `monotonicMs`; `Infinity` without a time limit. */
  readonly stopAtMs: number;
  /**
   * Aborts when the host stops the call (SIGTERM). The tool then has 2 seconds to answer with what it has or to throw the abort error.
   *
   * A tool that never reads this property is ended by SIGTERM at once.
   */
  readonly signal: AbortSignal;
  /** Reports progress to the host, as one line on descriptor 3. Does nothing without a host, and never throws. */
  readonly progress: (update: Progress) => void;
  /**
   * Ends the call with `{"error", "error_code"}`.
   *
   * @throws ToolFailure always.
   */
  readonly fail: (code: Code, message: string, details?: FailureDetails) => never;
}

/** The context of the one call of this process, from the host's variables. */
export function createContext(env: NodeJS.ProcessEnv, stop: StopSignal): ToolContext<string> {
  return {
    maxOutputBytes: positiveNumber(env.IKIGAI_MAX_OUTPUT_BYTES),
    stopAtMs: stopAt(positiveNumber(env.IKIGAI_TIMEOUT_MS)),
    get signal() {
      return stop.signal();
    },
    progress: reportProgress(env.IKIGAI_PROGRESS_FD),
    fail(code, message, details) {
      throw new ToolFailure<string>(code, message, details);
    },
  };
}

/** A limit from the host. A value that is not a positive number is no limit: an answer is better than none. */
function positiveNumber(value: string | undefined): number {
  const wanted = Number(value);
  return wanted > 0 ? wanted : Number.POSITIVE_INFINITY;
}
