import type { DependencyLock } from "./dependency-lock.ts";

/** What came, before it is looked at. */
export interface Fetched {
  /** The package's name, or what stands for it. */
  readonly name: string;
  /** Its version, or the commit; empty when it has neither. */
  readonly version: string;
  /** Where in the stage the package is. */
  readonly packageDir: string;
  /** How many other packages came with it. */
  readonly dependencies: number;
  /** What else is worth writing down. */
  readonly facts: {
    readonly resolved?: string;
    readonly integrity?: string;
    readonly commit?: string;
    readonly lock?: DependencyLock;
  };
}
