import type { SessionEvent } from "./session-event.ts";

/** The log of a conversation. */
export interface SessionLog {
  /** The file; absent when the session is not saved. */
  readonly path?: string;
  /** Why the session is not saved, permanently or at the moment; one sentence. */
  readonly problem: string | undefined;
  /** The lines that could not be written yet: with those of the file, they are the whole session. */
  readonly unwritten: readonly string[];
  /** Writes one event before it returns. Never throws: a failure becomes `problem`, and the event is retried. */
  append(event: SessionEvent): void;
  /** Tries once more to write what could not be written. */
  retry(): void;
  /** Releases the session for other processes. */
  close(): void;
}

const writesNothing = { unwritten: [], append: () => {}, retry: () => {}, close: () => {} };

/** The log of a session of another process, which is only read. */
export function readOnlyLog(path: string): SessionLog {
  return { ...writesNothing, path, problem: undefined };
}

/** A log that stores nothing. */
export function noLog(problem: string): SessionLog {
  return { ...writesNothing, problem };
}
