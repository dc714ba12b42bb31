import { callVariables, type ExecuteOptions, hashTool, type RegisteredTool } from "@ikigai/core";
import type { ToolStart } from "../session/session-event.ts";

/** What has to be known to make the same call again. */
export async function callStart(tool: RegisteredTool, args: string, options: ExecuteOptions): Promise<ToolStart> {
  const { path, scope } = tool;
  const sha256 = await hashTool(path);
  return {
    path,
    scope,
    cwd: options.cwd,
    ...(sha256 !== undefined && { sha256 }),
    env: callVariables(tool, args, options),
  };
}
