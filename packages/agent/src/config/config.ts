import type { configShape, ValueOf } from "./config-shape.ts";

/** The user's `config.json`. A project has none: nothing in a project sets an address, a key or a permission. */
export type Config = ValueOf<typeof configShape>;

/** Timeouts and retries of model requests. */
export type PatienceConfig = NonNullable<Config["patience"]>;

/** A place in a file. */
export interface ConfigPlace {
  /** From 1. */
  readonly line: number;
  /** From 1, in UTF-16 units. */
  readonly column: number;
  /** The line, and a second one with a caret below the place. */
  readonly excerpt: string;
}

/** What is wrong with the configuration: where, and what was expected, what came and what to do. */
export interface ConfigProblem {
  readonly path: string;
  /** The key it is about, if it is about one. */
  readonly key?: string;
  readonly message: string;
  /** Where it is, if the file could be read. */
  readonly place?: ConfigPlace;
  /** Nothing may run: the file cannot be read, or a limit that it sets is not clear. */
  readonly isFatal: boolean;
}

/** What `config.json` says. */
export interface LoadedConfig {
  readonly path: string;
  readonly config: Config;
  /** What was wrong was left out of `config`. */
  readonly problems: readonly ConfigProblem[];
  /** The file mentions a key of a provider, so it is nobody else's to read. */
  readonly holdsKey: boolean;
}
