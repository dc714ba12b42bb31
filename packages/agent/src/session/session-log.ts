import type { SessionEvent } from "./session-event.ts";

/** The log of a conversation. */
export interface SessionLog {
  /** The file; absent when the session is not saved. */
  readonly path?: string;
  /** Why the session is not saved, permanently or at the moment; one sentence. */
  readonly problem: string | undefined;
  /** Writes one event before it returns. Never throws: a failure becomes `problem`, and the event is retried. */
  append(event: SessionEvent): void;
  /** Releases the session for other processes. */
  close(): void;
}

/** A log that stores nothing. */
export function noLog(problem: string): SessionLog {
  return { problem, append: () => {}, close: () => {} };
}
