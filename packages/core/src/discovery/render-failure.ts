import type { FailedTool } from "../registry/registry.ts";

/** The line that tells of a tool that was skipped. */
export function renderFailure({ name, reason }: FailedTool): string {
  return `Debug: tool '${name}' schema failed (${reason})`;
}
