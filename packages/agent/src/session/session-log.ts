import type { SessionEvent } from "./session-event.ts";

/** Where a conversation is written down. */
export interface SessionLog {
  /** The file; absent when the session is not saved. */
  readonly path?: string;
  /** Why the session is not saved, or no longer, in one sentence. */
  readonly problem?: string;
  /** Writes one event before it returns. Never throws: what cannot be written becomes `problem`. */
  append(event: SessionEvent): void;
  /** Gives the session free for other processes. */
  close(): void;
}
