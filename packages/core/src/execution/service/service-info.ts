/** A running service, for people. */
export interface ServiceInfo {
  /** The name that its tools give it. */
  readonly name: string;
  /** The directory of its tools, without symbolic links. */
  readonly directory: string;
  readonly pid: number | undefined;
  readonly startedAt: Date;
  /** How many calls it has been given. */
  readonly calls: number;
  readonly isReady: boolean;
  readonly isSandboxed: boolean;
  /** The file with what it printed on stderr; absent if it has no log file. */
  readonly log?: string;
  /** Ends it. The next call starts it again. Settles when it has ended. */
  end(): Promise<void>;
}

/** The service of a tool, for people. */
export interface ServiceStatus {
  readonly name: string;
  /** Why every call gets a process of its own, the end of a sentence; absent if calls go to the service. */
  readonly whyNot?: string;
  readonly running: readonly ServiceInfo[];
}
