export interface SessionSummary {
  readonly id: string;
  readonly cwd: string;
  readonly startedAt: Date;
  /** When the last event was written. */
  readonly changedAt: Date;
  /** The beginning of what the user said first; empty when nothing was said. */
  readonly title: string;
  readonly bytes: number;
}

/** The sessions that were started in a directory (all, without one), the one that changed last first. */
export declare function listSessions(home: string, cwd?: string): Promise<SessionSummary[]>;
