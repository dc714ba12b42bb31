/** A request that failed and will be sent again. */
export interface Retry {
  readonly why: string;
  /** By the clock of `performance`. */
  readonly atMs: number;
  readonly count: number;
  readonly most: number;
}

/** Work that goes on: an answer, or a command the user typed. */
export interface Work {
  readonly startedMs: number;
  /** Stops it. */
  readonly abort: () => void;
  /** What goes on, in a word or two. */
  readonly activity: string;
  /** Whether calls run, each of which shows how long it has taken. */
  readonly hasCalls?: boolean;
  /** Why a request failed, and when it is sent again. */
  readonly retry?: Retry | undefined;
}
