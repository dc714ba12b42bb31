import type { ToolScope } from "@ikigai/protocol";
import type { Stamps } from "../registry/stamps.ts";
import type { HookEvent } from "./hook-events.ts";

/** A file that is run for an event. */
export interface Hook {
  /** The event that it is run for. */
  readonly event: HookEvent;
  /** The only tool whose calls it is run for; the name may end in `*`. Absent: all tools. */
  readonly tool?: string;
  /** Its path below `hooks/`, for instance `before-call/bash/10-no-force`. */
  readonly name: string;
  /** Its file as it was found, possibly a link. */
  readonly path: string;
  /** Whether it is the user's own or the project's. */
  readonly scope: Exclude<ToolScope, "system">;
  /** For a project's hook: the project, which it guards and is run in. An agent may work elsewhere. */
  readonly projectDir?: string;
  /** Why it cannot be run: the end of a sentence. */
  readonly problem?: string;
  /** For a project's hook: the project's files as the user approved them, checked before and after every run. */
  readonly trusted?: Stamps;
}

/** Whether a hook is run for the calls of a tool. */
export function isForTool({ tool }: Pick<Hook, "tool">, name: string): boolean {
  if (tool === undefined) return true;
  return tool.endsWith("*") ? name.startsWith(tool.slice(0, -1)) : name === tool;
}

/** A path on one line of printable characters, for people and models: a hook's file may be named anything. */
export function printable(path: string): string {
  return path.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
