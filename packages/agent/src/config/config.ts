import type { configShape, ValueOf } from "./config-shape.ts";
import type { StoredKeys } from "./stored-keys.ts";

/** The user's `config.json`. Projects have none: no project sets a URL, a key or a permission. */
export type Config = ValueOf<typeof configShape> & {
  /** Keys that `ikigai login` has stored; they do not come from this file. */
  readonly storedKeys?: StoredKeys;
};

/** Timeouts and retries of model requests. */
export interface PatienceConfig {
  /** Longest time until the first data, in milliseconds. */
  readonly firstByteTimeoutMs?: number;
  /** Longest time between data, in milliseconds. */
  readonly idleTimeoutMs?: number;
  /** Whether a ping counts as data. */
  readonly pingsCount?: boolean;
  /** How often to retry a failed request. */
  readonly maxRetries?: number;
  /** Delay before the first retry, in milliseconds; it doubles each time. */
  readonly firstRetryMs?: number;
  /** Longest retry-after delay to honour, in milliseconds. */
  readonly maxRetryAfterMs?: number;
}

/** A place in a file. */
export interface ConfigPlace {
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units. */
  readonly column: number;
  /** The line, and a second line with a caret below the place. */
  readonly excerpt: string;
}

/** A problem with the configuration: where it is, what was expected, what was found and what to do. */
export interface ConfigProblem {
  /** The file. */
  readonly path: string;
  /** The key concerned, if any. */
  readonly key?: string;
  /** What was expected, what was found and what to do. */
  readonly message: string;
  /** Where it is, if the file could be read. */
  readonly place?: ConfigPlace;
  /** Whether nothing may run: the file cannot be read, or a limit in it is invalid. */
  readonly isFatal: boolean;
}

/** The contents of `config.json`. */
export interface LoadedConfig {
  readonly path: string;
  readonly config: Config;
  /** Problems whose settings are missing from `config`. */
  readonly problems: readonly ConfigProblem[];
  /** Whether the file holds a provider key, so that only the user may read it. */
  readonly holdsKey: boolean;
}

export type Patience = Required<PatienceConfig>;

export const defaultPatience: Patience = {
  // A slow local model takes a minute to read a long conversation; a server that sends nothing for two is stuck.
  firstByteTimeoutMs: 120_000,
  // Models that reason without output can be silent for minutes.
  idleTimeoutMs: 300_000,
  pingsCount: false,
  maxRetries: 5,
  firstRetryMs: 500,
  // Users do not want to wait longer than this without being asked.
  maxRetryAfterMs: 120_000,
};
