import type { SessionEvent } from "./session-event.ts";

/** Where a conversation is written down. */
export interface SessionLog {
  /** The file; absent when the session is not saved. */
  readonly path?: string;
  /** Why the session is not saved, or not at the moment, in one sentence. */
  readonly problem: string | undefined;
  /** Writes one event before it returns. Never throws: what cannot be written becomes `problem`, and is tried again. */
  append(event: SessionEvent): void;
  /** Gives the session free for other processes. */
  close(): void;
}

/** A log that keeps nothing. */
export function noLog(problem: string): SessionLog {
  return { problem, append: () => {}, close: () => {} };
}
