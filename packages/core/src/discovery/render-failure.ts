import type { FailedTool } from "../registry/registry.ts";

/** The debug line for a skipped tool. */
export function renderFailure({ name, reason }: FailedTool): string {
  return `Debug: tool '${name}' schema failed (${reason})`;
}
