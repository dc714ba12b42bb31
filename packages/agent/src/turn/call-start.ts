import { hashTool, type PreparedCall } from "@ikigai/core/internal";
import type { ToolStart } from "@ikigai/session";

/** Returns what is needed to repeat a call. */
export async function callStart({ tool, options, variables }: PreparedCall): Promise<ToolStart> {
  const { path, scope, launcher } = tool;
  const { cwd, sandbox } = options;
  const sha256 = await hashTool(path);
  return {
    path,
    scope,
    cwd,
    ...(sha256 !== undefined && { sha256 }),
    // A tool with a launcher runs elsewhere, without this sandbox.
    ...(sandbox && !launcher && { sandbox: { network: sandbox.network } }),
    ...(launcher && { launched: true }),
    env: variables,
  };
}
