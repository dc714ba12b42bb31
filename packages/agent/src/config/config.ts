import type { StoredKeys } from "@ikigai/models";
import type { configShape, ValueOf } from "./config-shape.ts";

/** The user's `config.json`. Projects have none: no project sets a URL, a key or a permission. */
export type Config = ValueOf<typeof configShape> & {
  /** Keys that `ikigai login` has stored; they do not come from this file. */
  readonly storedKeys?: StoredKeys;
};

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
