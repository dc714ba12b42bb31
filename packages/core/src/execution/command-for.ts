import type { Command } from "../process/start-process.ts";
import { toolEnvironment } from "../process/tool-environment.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import type { CallLimits } from "./call-limits.ts";
import type { ExecuteOptions } from "./execute-options.ts";

/** What is started for a call. */
export function commandFor(tool: RegisteredTool, limits: CallLimits, options: ExecuteOptions): Command {
  const { name, path, scope, schema, shadowed } = tool;
  const owner = { name, path, scope, wantedKeys: schema.ikigai?.env };
  return {
    path,
    args: [],
    cwd: options.cwd,
    env: toolEnvironment(options.env ?? process.env, owner, {
      ...(shadowed !== undefined && { IKIGAI_SHADOWED_TOOL: shadowed }),
      IKIGAI_PROJECT_DIR: options.projectDir,
      IKIGAI_SESSION_ID: options.sessionId,
      IKIGAI_CALL_ID: options.callId,
      IKIGAI_TIMEOUT_MS: String(limits.timeoutMs),
      IKIGAI_MAX_OUTPUT_BYTES: String(limits.maxOutputBytes),
    }),
    hasInput: true,
    hasProgress: options.onProgress !== undefined,
  };
}
