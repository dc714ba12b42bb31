import type { RegisteredTool } from "@ikigai/core";
import type { CallOptions } from "@ikigai/core/internal";
import { callVariables, hashTool } from "@ikigai/core/internal";
import type { ToolStart } from "../session/session-event.ts";

/**
 * What has to be known to make the same call again.
 *
 * @param id the call's own, where its process has been told another.
 */
export async function callStart(
  tool: RegisteredTool,
  args: string,
  options: CallOptions,
  id = options.callId,
): Promise<ToolStart> {
  const { path, scope } = tool;
  const { callId, sandbox } = options;
  const sha256 = await hashTool(path);
  return {
    path,
    scope,
    cwd: options.cwd,
    ...(sha256 !== undefined && { sha256 }),
    // What has a launcher runs somewhere else, as it says itself.
    ...(sandbox && !tool.launcher && { sandbox: { network: sandbox.network } }),
    env: { ...callVariables(tool, args, options), ...(callId !== id && { IKIGAI_CALL_ID: callId }) },
  };
}
