import { writeAll } from "@ikigai/system";
import { InvalidCall } from "./invalid-call.ts";
import type { StopSignal } from "./stop-signal.ts";

/** The exit code of a tool that failed itself. */
export const exitFailed = 1;

/** Ends a call that threw: prints the reason on stderr and returns the exit code, or ends the process if it was stopped. */
export function reportFailure(error: unknown, stop: StopSignal): number {
  // Ends as SIGTERM would have ended it: the handler that turned it into an abort is gone after one use.
  if (stop.isCauseOf(error)) process.kill(process.pid, "SIGTERM");
  complain(describeFailure(error));
  return exitFailed;
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
