import type { Registry } from "@ikigai/core";

/** What a program knows about tools beyond their schemas. */
export interface ToolNotes {
  /** Returns what to add to the system prompt while these tools are loaded. */
  readonly instructions: (registry: Registry) => string;
  /** Returns what the user should know about them now, one sentence each. */
  readonly notices: (registry: Registry) => readonly string[];
}
