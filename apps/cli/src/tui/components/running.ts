/** A background job that was running when it was last looked at. */
export interface RunningJob {
  readonly pid: number;
  readonly command: string;
  readonly startedAt: Date;
}

/** What runs in the background, as last looked at. */
export interface Running {
  readonly jobs: readonly RunningJob[];
  readonly agents: number;
  readonly services: number;
}
