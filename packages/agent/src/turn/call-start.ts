import { hashTool, type PreparedCall } from "@ikigai/core/internal";
import type { ToolStart } from "../session/session-event.ts";

/** What has to be known to make the same call again. */
export async function callStart({ tool, options, variables }: PreparedCall): Promise<ToolStart> {
  const { path, scope, launcher } = tool;
  const { cwd, sandbox } = options;
  const sha256 = await hashTool(path);
  return {
    path,
    scope,
    cwd,
    ...(sha256 !== undefined && { sha256 }),
    // What has a launcher runs somewhere else, as it says itself.
    ...(sandbox && !launcher && { sandbox: { network: sandbox.network } }),
    env: variables,
  };
}
