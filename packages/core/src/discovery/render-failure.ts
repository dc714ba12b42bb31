import type { FailedTool } from "../registry/registry.ts";

/** The line for a skipped tool, with the reason: for debugging, unless it has a launcher and is therefore missing. May quote the tool. */
export function renderFailure({ name, reason, detail, isLaunched }: FailedTool): string {
  if (isLaunched) return `Tool '${name}' is unavailable: its launcher failed (${reason}): ${detail}`;
  return `Debug: tool '${name}' schema failed (${reason}): ${detail}`;
}
