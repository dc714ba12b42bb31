/** A problem with one key. */
export interface KeyProblem {
  readonly key: string;
  readonly message: string;
  readonly offset: number;
  /** Whether it concerns a limit: dropping it would lift that limit. */
  readonly isFatal: boolean;
  /** The setting is unknown or its value has the wrong shape: it is dropped. */
  readonly isDropped?: true;
}
