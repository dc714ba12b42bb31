import type { FailedTool } from "../registry/registry.ts";

/** The line for a skipped tool: for debugging, unless it has a launcher and is therefore missing. */
export function renderFailure({ name, reason, isLaunched }: FailedTool): string {
  if (isLaunched) return `Tool '${name}' is unavailable: its launcher failed (${reason})`;
  return `Debug: tool '${name}' schema failed (${reason})`;
}
