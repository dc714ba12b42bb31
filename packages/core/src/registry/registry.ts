// What discovery has found, as one immutable value: tools, failures with their reasons, skills, and the state of the files that it
// depends on.

import type { PlainCall, ToolSchema, ToolScope } from "@ikigai/protocol";
import type { Launcher } from "@ikigai/sandbox";
import { shellWord } from "@ikigai/system";
import { firstChange, type Stamps } from "./stamps.ts";

/** A file and its state: two equal identities mean the same content. */
export interface FileIdentity {
  /** Path without symbolic links. */
  readonly realPath: string;
  /** Device, inode, mode, size, mtime and ctime (nanoseconds). */
  readonly stamp: string;
}

/** A tool that is not used because a nearer tool of the same name overrides it. */
export interface ShadowedTool {
  /** Its file. */
  readonly path: string;
  /** Where it was found. */
  readonly scope: ToolScope;
}

/** A tool that can be called: a plain value that `discover` returns and `execute` takes. */
export interface RegisteredTool {
  /** The name the model uses: the file's name without `-tool`, with `_` for `-`. */
  readonly name: string;
  /** The file as it was found, possibly a link. The real path is in `identity`. */
  readonly path: string;
  /** Where it was found: shipped with the host, the user's own, or the project's. */
  readonly scope: ToolScope;
  /** What it answered to `--schema`, or what its comments say. */
  readonly schema: ToolSchema;
  /** How it is called, if it is a plain tool: a script that its comments describe. */
  readonly plain?: PlainCall;
  /** The file that gave this schema. */
  readonly identity: FileIdentity;
  /** The tools it overrides, nearest first. */
  readonly shadows: readonly ShadowedTool[];
  /**
   * The schema of the system's tool of this name: its own, or that of the one it overrides. Permission decisions use only this
   * one. `"unknown"` if the system's tool did not answer `--schema`; absent if the system has no tool of this name.
   */
  readonly system?: ToolSchema | "unknown";
  /** Real path of the nearest overridden tool that is a different file. */
  readonly shadowed?: string;
  /** Oddities, one sentence each: a different name in its schema, a second file of the same name. */
  readonly warnings: readonly string[];
  /**
   * For a project's tool: the project's files as the user approved them. They are checked again before every call, since a tool
   * reads and runs files beside it.
   */
  readonly trusted?: Stamps;
  /**
   * Whether it needs something (`ikigai.needs`) that the user has not agreed to, for this content of its file. Then it runs in no
   * sandbox; see `agreeToNeeds`.
   */
  readonly openNeeds?: true;
  /** Where it runs, if the user's configuration gives it a launcher. */
  readonly launcher?: Launcher;
  /** The shell that the user's configuration gives it for its commands: absolute path. It gets it as `IKIGAI_SHELL`. */
  readonly shell?: string;
  /** The skill whose script it is. */
  readonly skill?: string;
  /** The directory that has its data directory, in place of the user's, if the host has made it for one conversation. */
  readonly home?: string;
}

/** Why a file that is named like a tool cannot be used. */
export type FailureReason =
  | "timeout"
  | "crash"
  | "invalid JSON"
  | "invalid schema"
  | "too large"
  | "not executable"
  | "untrusted"
  | "unsafe"
  | "invalid name";

/** A file that is named like a tool and cannot be used. */
export interface FailedTool {
  /** The tool's name in printable ASCII, whatever the file is called. */
  readonly name: string;
  /** The file as it was found. */
  readonly path: string;
  /** Where it was found: shipped with the host, the user's own, or the project's. */
  readonly scope: ToolScope;
  /** Why it cannot be used, as a code. */
  readonly reason: FailureReason;
  /** One line for people: what is wrong and what to do. May quote the tool: escape it for a terminal. */
  readonly detail: string;
  /**
   * Whether the configuration gives it a launcher. No other tool takes its name: it might run where the user does not want it.
   * Calls answer `TOOL_UNAVAILABLE`.
   */
  readonly isLaunched?: true;
  /** What its comments say, if it is a plain tool of a project that is not trusted: they are read, and nothing runs. */
  readonly schema?: ToolSchema;
}

/**
 * Whether the user trusts a project's `.ikigai/`. `nothing`: it has no files, or is the user's own directory; `trusted`:
 * approved and unchanged; `untrusted`: never approved; `changed`: different from what was approved.
 */
export type TrustStatus = "nothing" | "trusted" | "untrusted" | "changed";

/** The result of `discover`: an immutable value. */
export interface Registry {
  /** Sorted by name, so that models see the same order every time. */
  readonly tools: readonly RegisteredTool[];
  /** Sorted by path. */
  readonly failed: readonly FailedTool[];
  /** The skills of the user and of a trusted project, sorted by name. */
  readonly skills: readonly Skill[];
  /** Directories in a place for skills that cannot be used as one, sorted by path. */
  readonly failedSkills: readonly FailedSkill[];
  /** Whether the project has files below `.ikigai/` or skills, and whether the user trusts them. */
  readonly trust: TrustStatus;
  /** Why the project cannot be trusted, and what to do, if it cannot. */
  readonly trustProblem?: string;
  /** Other problems, one sentence each, for instance a directory that cannot be read. */
  readonly problems: readonly string[];
  /** The files and directories this registry depends on, as they were. See `registryChanged`. */
  readonly seen: Stamps;
}

/**
 * Returns whether running `discover` again could give a different registry: a tool, a directory, the project's `.ikigai/` or
 * the user's trust in it has changed. Costs one `stat` per file; runs nothing. Never throws: a path
 * that has become unreadable counts as changed.
 *
 * @example
 * if (registryChanged(registry)) registry = await discover(options);
 */
export function registryChanged(registry: Registry): boolean {
  return firstChange(registry.seen) !== undefined;
}

/** Returns the registered tool with exactly this name; `undefined` if the registry has no such tool. Never throws. */
export function findTool(registry: Registry, name: string): RegisteredTool | undefined {
  return registry.tools.find((tool) => tool.name === name);
}

/** Returns the command line that is shown to people in place of the tool's path. */
export function launchedPath({ argv, path }: Launcher): string {
  return [...argv, path].map(shellWord).join(" ");
}

/** A skill: instructions for a kind of task that a model loads when it needs them, as agentskills.io describes them. */
export interface Skill {
  /** As its `SKILL.md` says, or the name of its directory; that of a single file `NAME.md`. */
  readonly name: string;
  /** What it does and when to use it, on one line. */
  readonly description: string;
  /** Its `SKILL.md`, whose directory has what else belongs to it; or a single file. */
  readonly path: string;
  /** Whose it is. Those of a project are there only while the user trusts it. */
  readonly scope: Exclude<ToolScope, "system">;
  /** The names of the tools that come with it: those it names, and its own scripts. Not all of them need exist. */
  readonly introduces: readonly string[];
  /** Names between backticks in its text, as tools would have them. Those that are tools come with it, too. */
  readonly mentions?: readonly string[];
  /** `allowed-tools`, for people: it permits nothing. */
  readonly allowedTools?: string;
  /** SHA-256 of a project's `SKILL.md` as the user approved it, in hexadecimal. */
  readonly sha256?: string;
  /** Oddities, one sentence each. */
  readonly notes: readonly string[];
  /** The `SKILL.md` of skills of the same name that this one overrides, nearest first. */
  readonly shadows: readonly string[];
}

/** A directory in a place for skills that cannot be used as one. */
export interface FailedSkill {
  /** The name of its directory, in printable ASCII. */
  readonly name: string;
  /** Its `SKILL.md`. */
  readonly path: string;
  /** Whose it is. */
  readonly scope: Skill["scope"];
  /** Why, for people: what is wrong and what to do. May quote the file: escape it for a terminal. */
  readonly reason: string;
  /** Whether it only needs the user's trust. */
  readonly isUntrusted?: true;
}
