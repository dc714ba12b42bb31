/** What a sandbox has to know of a project's repository. */
export interface GitPlaces {
  /** Directories that git writes to, and that a tool may therefore change. */
  readonly writable: readonly string[];
  /** What decides what git runs, and is there: only shown. */
  readonly shown: readonly string[];
  /** What would decide it if it were there: to be made first. */
  readonly missing: readonly MissingPlace[];
}

export interface MissingPlace {
  readonly path: string;
  /** Of a file; without it, it is a directory. */
  readonly content?: string;
  /** Whether it may stay: git makes the same by itself. */
  readonly mayStay: boolean;
}
