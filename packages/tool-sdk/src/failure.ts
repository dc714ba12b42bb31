// How a call ends without its answer. First how it is stopped: by SIGTERM, by a frame, or at its time. Then its failures: those that
// are answers, calls that are refused, and bugs.

import type { ToolErrorCode } from "@ikigai/protocol";
import { writeAll } from "@ikigai/system";

// How a call is stopped: by SIGTERM, by a frame, or at its time.

/** How a host stops a call: SIGTERM, as an `AbortSignal` for tools that ask for it. */
export interface StopSignal {
  /** Catches SIGTERM from the first call on until `release`. Without it SIGTERM ends the process, also while synchronous code runs. */
  signal(): AbortSignal;
  /** Whether the error was caused by this signal. */
  isCauseOf(error: unknown): boolean;
  /** Stops catching SIGTERM. */
  release(): void;
}

/** The stop signal of a call. A second SIGTERM ends it. */
export function stopSignal(): StopSignal {
  let controller: AbortController | undefined;
  let isReleased = false;
  const abort = () => controller?.abort();
  return {
    signal() {
      if (controller === undefined && !isReleased) process.once("SIGTERM", abort);
      controller ??= new AbortController();
      return controller.signal;
    },
    isCauseOf: (error) => controller?.signal.aborted === true && error instanceof Error && error.name === "AbortError",
    release() {
      isReleased = true;
      process.off("SIGTERM", abort);
    },
  };
}

/** How a host stops one call of several: by a frame. */
export interface CancelSignal extends Pick<StopSignal, "signal" | "isCauseOf"> {
  /** Aborts the signal. */
  cancel(): void;
}

/** The signal of a call. `onUnread` runs when the call is cancelled before it has asked for its signal. */
export function cancelSignal(onUnread: () => void = () => {}): CancelSignal {
  const controller = new AbortController();
  let isRead = false;
  return {
    signal() {
      isRead = true;
      return controller.signal;
    },
    cancel() {
      controller.abort();
      if (!isRead) onUnread();
    },
    isCauseOf: (error) => controller.signal.aborted && error instanceof Error && error.name === "AbortError",
  };
}

/** The share of a call's time reserved for its answer, and its maximum in milliseconds. */
const keptPart = 0.1;
const maxKeptMs = 3_000;

/** The time of a monotonic clock, in milliseconds, which is the same in all threads of a process. Never throws. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** When a call that starts now must stop its work to answer before the host stops it. */
export function stopAt(timeoutMs: number): number {
  return monotonicMs() + timeoutMs - Math.min(timeoutMs * keptPart, maxKeptMs);
}

// The failures of a tool: those that are answers, calls that are refused, and bugs.

/** Optional fields of a failure, next to `error` and `error_code`. */
export interface FailureDetails {
  /** The closest match, or what to do instead: one sentence for the model. */
  readonly hint?: string;
  /** The text that comes closest to the text that was looked for, ready to be sent back. */
  readonly found?: string;
  /** Line numbers of the failure, from 1. */
  readonly lines?: readonly number[];
  /** What the user can do, step by step. */
  readonly help?: {
    /** One sentence each. */
    readonly steps: readonly string[];
  };
}

/**
 * Ends a call with an answer the model can act on.
 *
 * Thrown only inside a tool; `serve` catches it and prints the error object of the protocol. Any other thrown value is a
 * bug in the tool: the process exits 1 with the stack on stderr.
 *
 * `Code` is the protocol's codes by default. For a tool's own code, name it: `new ToolFailure<"RATE_LIMITED">(…)`, or
 * declare it in `errorCodes` and call `fail`.
 */
export class ToolFailure<Code extends string = ToolErrorCode> extends Error {
  override readonly name = "ToolFailure";
  readonly code: Code;
  readonly details: FailureDetails;

  constructor(code: NoInfer<Code>, message: string, details: FailureDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The arguments are invalid. The message is one line for stderr; the exit code is 1. */
export class InvalidCall extends Error {
  override readonly name = "InvalidCall";
}

/** The exit code of a tool that failed itself. */
export const exitFailed = 1;

/** Ends the process of a call that threw, even if something is still open: with the reason on stderr, or by SIGTERM if it was stopped. */
export async function exitAfter(error: unknown, stop: StopSignal): Promise<never> {
  stop.release();
  // Ends as SIGTERM would have ended it without the handler that turned it into an abort.
  if (stop.isCauseOf(error)) process.kill(process.pid, "SIGTERM");
  // Exiting would drop what the tool has logged and a full pipe has not taken yet. A refused call has logged nothing, so it does
  // not load the stream.
  if (!(error instanceof InvalidCall) && process.stderr.writableLength > 0)
    await new Promise<void>((settle) => process.stderr.write("", () => settle()));
  complain(describeFailure(error));
  process.exit(exitFailed);
}

/** Waits for an answer. If nothing keeps the process running until then, it fails: it would end with 0, and say nothing. */
export async function untilAnswered(answer: Promise<string>): Promise<string> {
  process.once("beforeExit", failUnanswered);
  try {
    return await answer;
  } finally {
    process.off("beforeExit", failUnanswered);
  }
}

function failUnanswered(): never {
  complain("run did not return: nothing that it waits for keeps the process running");
  process.exit(exitFailed);
}

/** What a call that threw says on stderr, without the last newline. */
export function describeFailure(error: unknown): string {
  return error instanceof InvalidCall ? error.message : describeBug(error);
}

/** Prints a text and a newline on stderr. */
export function complain(text: string): void {
  try {
    writeAll(2, `${text}\n`);
  } catch {
    // stderr is closed; the exit code still says it.
  }
}

function describeBug(error: unknown): string {
  const { code, syscall } = error as NodeJS.ErrnoException;
  // The reader has gone, or stdout is on a full disk: the system's reason, without a stack.
  if (syscall === "write") return `Cannot write the answer: ${code}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
