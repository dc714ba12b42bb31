/** What a sandbox must know about a project's repositories. */
export interface GitPlaces {
  /** Directories git writes to, so a tool may change them. */
  readonly writable: readonly string[];
  /** Existing paths that decide what git runs: read-only. */
  readonly shown: readonly string[];
  /** Tracked files that determine what runs, deeper in the project: read-only where they are. */
  readonly tracked?: readonly string[];
  /** Missing paths that would decide what git runs: to be created and then protected. */
  readonly missing: readonly MissingPlace[];
}

/** A path to create before it can be protected. */
export interface MissingPlace {
  readonly path: string;
  /** File content; without it, a directory. */
  readonly content?: string;
  /** Whether it may stay: git would create the same. */
  readonly mayStay: boolean;
  /** Whether it is a directory that no one may enter. */
  readonly isClosed?: boolean;
}
