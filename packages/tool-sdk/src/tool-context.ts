// What a call gets besides its arguments: limits, progress, and the job that it may leave.
import { type Progress, type ToolErrorCode, textStart } from "@ikigai/protocol";
import { writeAll } from "@ikigai/system";
import { type FailureDetails, type StopSignal, stopAt, ToolFailure } from "./failure.ts";

/**
 * What `run` gets besides its arguments. The functions work without their object, so `run` may destructure it.
 *
 * @typeParam Code the error codes that `fail` accepts.
 * @typeParam State what the tool's service keeps between calls.
 */
export interface ToolContext<Code extends string = ToolErrorCode, State = undefined> {
  /**
   * How long the answer may be, in bytes: the host's limit or `answerBytes`, whichever is less; `Infinity` without a host. `serve` cuts a
   * longer answer.
   */
  readonly maxOutputBytes: number;
  /** In a conversation: how much of the answer is worth a model's reading, in bytes. `Infinity` if no model reads it. */
  readonly answerBytes: number;
  /** When to stop and answer with what there is, by the clock `monotonicMs`; `Infinity` without a time limit. */
  readonly stopAtMs: number;
  /**
   * Aborts when the host stops the call: by SIGTERM, or by a frame that cancels a call of a service. The tool then has 2 seconds to
   * answer with what it has or to throw the abort error.
   *
   * A tool that never reads this property is ended by SIGTERM at once. In a service such a call continues, but what it returns is dropped.
   */
  readonly signal: AbortSignal;
  /** Reports progress to the host, as one line. Does nothing without a host, and never throws. */
  readonly progress: (update: Progress) => void;
  /**
   * Makes the process a job: the answer gets `"job": true`, and the process continues after it until `until` settles with its exit
   * code. `undefined` unless the tool declares `jobs` and the host has room for one.
   *
   * @param takeInput gets the lines that the model writes to the job; only in a process that serves several calls.
   */
  readonly continueAsJob: ((until: Promise<number>, takeInput?: (line: string) => void) => void) | undefined;
  /** The environment of the call. A service passes it to the processes that it starts for the call; other tools may inherit theirs. */
  readonly env: NodeJS.ProcessEnv;
  /** What the tool's service keeps between calls; `undefined` without a service. */
  readonly state: State;
  /**
   * Ends the call with `{"error", "error_code"}`.
   *
   * @throws ToolFailure always.
   */
  readonly fail: (code: Code, message: string, details?: FailureDetails) => never;
}

/** What a call has of its own, besides its variables. */
export interface CallParts<State> {
  readonly stop: Pick<StopSignal, "signal">;
  readonly state: State;
  /** Where progress goes. */
  readonly progress: (update: Progress) => void;
  /** Which job the call has left, if the host takes one. */
  readonly left?: LeftJob | undefined;
}

/** The job that a call leaves. */
export interface LeftJob {
  job?: { readonly until: Promise<number>; readonly takeInput?: ((line: string) => void) | undefined };
}

/** Where the job of the call that this process answers is noted; `undefined` if the host takes none. */
export function jobPlace(env: NodeJS.ProcessEnv = process.env): LeftJob | undefined {
  return env.IKIGAI_JOBS === "1" ? {} : undefined;
}

/** The context of a call with these variables. */
export function createContext<State>(
  env: NodeJS.ProcessEnv,
  { stop, state, progress, left }: CallParts<State>,
): ToolContext<string, State> {
  const answerBytes = positiveNumber(env.IKIGAI_ANSWER_BYTES);
  return {
    maxOutputBytes: Math.min(positiveNumber(env.IKIGAI_MAX_OUTPUT_BYTES), answerBytes),
    answerBytes,
    stopAtMs: stopAt(positiveNumber(env.IKIGAI_TIMEOUT_MS)),
    get signal() {
      return stop.signal();
    },
    progress,
    continueAsJob: left && ((until, takeInput) => void Object.assign(left, { job: { until, takeInput } })),
    env,
    state,
    fail(code, message, details) {
      throw new ToolFailure<string>(code, message, details);
    },
  };
}

/** The context of the call that this process answers. */
export function processContext<State>(stop: StopSignal, state: State, left?: LeftJob): ToolContext<string, State> {
  return createContext(process.env, { stop, state, progress: reportProgress(process.env.IKIGAI_PROGRESS_FD), left });
}

/** A limit from the host. A value that is not a positive number sets no limit: an answer is better than none. */
function positiveNumber(value: string | undefined): number {
  const wanted = Number(value);
  return wanted > 0 ? wanted : Number.POSITIVE_INFINITY;
}

/** The longest message of a report, in characters: hosts show one line. */
const maxMessageLength = 1_000;

/** The first descriptor that is not stdin, stdout or stderr. */
const firstExtraFd = 3;

/** Returns a function that writes progress lines to the descriptor named by `IKIGAI_PROGRESS_FD`, or does nothing without one. */
export function reportProgress(descriptor: string | undefined): (update: Progress) => void {
  const fd = Number(descriptor ?? "");
  let isOpen = Number.isInteger(fd) && fd >= firstExtraFd;
  return (update) => {
    if (!isOpen) return;
    const line = `${progressText(update)}\n`;
    try {
      writeAll(fd, line);
    } catch {
      // The host has closed it, or never opened it. A call does not fail for lack of a listener.
      isOpen = false;
    }
  };
}

/** A report as JSON. */
export function progressText({ progress, total, message }: Progress): string {
  return JSON.stringify({ progress, total, message: message && textStart(message, maxMessageLength) });
}
