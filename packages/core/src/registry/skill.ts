import type { ToolScope } from "@ikigai/protocol";

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
