import type { ToolSchema, ToolScope } from "@ikigai/protocol";
import type { Launcher } from "./launcher.ts";
import { firstChange, type Stamps } from "./stamps.ts";

/** Which file it is, and in which state: two equal identities mean the same content. */
export interface FileIdentity {
  /** Without symbolic links. */
  readonly realPath: string;
  /** Device, inode, mode, size and the times of the last change to content and to inode, in nanoseconds. */
  readonly stamp: string;
}

/** Another tool of the same name that is not used because a nearer one overrides it. */
export interface ShadowedTool {
  readonly path: string;
  readonly scope: ToolScope;
}

/** A tool that can be called. */
export interface RegisteredTool {
  /** As the model calls it: the file's name without `-tool`, with `_` for `-`. */
  readonly name: string;
  /** The file, as it was found: a link's own path. Its real path is in `identity`. */
  readonly path: string;
  readonly scope: ToolScope;
  readonly schema: ToolSchema;
  /** The file whose schema this is. */
  readonly identity: FileIdentity;
  /** What it overrides, nearest first. */
  readonly shadows: readonly ShadowedTool[];
  /**
   * The schema of the system's tool of this name: its own, or that of the one it overrides. What decides about a call believes
   * this one only. `"unknown"` when the system's tool could not be asked for it; absent when the system has no such tool.
   */
  readonly system?: ToolSchema | "unknown";
  /** The real path of the nearest of them that is another file than this one. */
  readonly shadowed?: string;
  /** What is odd about it, one sentence each: another name in its schema, a twin in its directory. */
  readonly warnings: readonly string[];
  /**
   * The files that the user said yes to, when it is a project's tool. They are looked at again before every call: a tool
   * reads and runs what lies beside it.
   */
  readonly trusted?: Stamps;
  /** Where it runs, if the user's configuration says that it does not run here. */
  readonly launcher?: Launcher;
}

/** Why a file that looks like a tool is not one. */
export type FailureReason =
  | "timeout"
  | "crash"
  | "invalid JSON"
  | "invalid schema"
  | "too large"
  | "not executable"
  | "untrusted"
  | "invalid name";

/** A file that looks like a tool and cannot be used. */
export interface FailedTool {
  /** Printable ASCII, whatever the file is called. */
  readonly name: string;
  readonly path: string;
  readonly scope: ToolScope;
  readonly reason: FailureReason;
  /** One line for people: what came, and what to do. It may quote the tool, so a terminal must neutralise it. */
  readonly detail: string;
}

/**
 * Whether the user trusts a project's `.ikigai/`: there is none (or it is the user's own), it is trusted as it is, it was never
 * trusted, or it has changed since.
 */
export type TrustStatus = "nothing" | "trusted" | "untrusted" | "changed";

/** What discovery found. A plain value: nothing in it changes, a new discovery makes a new one. */
export interface Registry {
  /** Sorted by name, so that a model is told of them in the same order every time. */
  readonly tools: readonly RegisteredTool[];
  /** Sorted by path. */
  readonly failed: readonly FailedTool[];
  /** Whether the project has tools or other files of its own, and whether the user trusts them. */
  readonly trust: TrustStatus;
  /** What else went wrong, one sentence each: a directory that cannot be read. */
  readonly problems: readonly string[];
  /** The files and directories this registry depends on, as they were: see `registryChanged`. */
  readonly seen: Stamps;
}

/**
 * Whether discovery could find something else now: a tool, a directory, the project's `.ikigai/` or the user's trust in it has
 * changed. Costs a `stat` per file, and runs nothing.
 */
export function registryChanged({ seen }: Registry): boolean {
  return firstChange(seen) !== undefined;
}
