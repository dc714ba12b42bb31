import { launcherPlace } from "../place/launcher/launcher-place.ts";
import { sandboxPlace } from "../place/sandbox/sandbox-place.ts";
import { toolCommand } from "../place/tool-command.ts";
import type { Command, Failure } from "../process/command.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import type { CallLimits } from "./call-limits.ts";
import type { ExecuteOptions } from "./execute-options.ts";

/** What is started for a call, or why nothing can be. */
export function commandFor(tool: RegisteredTool, limits: CallLimits, options: ExecuteOptions): Command | Failure {
  const { cwd, projectDir, sessionId, callId, env = process.env, onProgress } = options;
  const overridden = tool.launcher || tool.shadowed === undefined ? {} : { IKIGAI_SHADOWED_TOOL: tool.shadowed };
  const call = {
    ...overridden,
    IKIGAI_PROJECT_DIR: projectDir,
    IKIGAI_SESSION_ID: sessionId,
    IKIGAI_CALL_ID: callId,
    IKIGAI_TIMEOUT_MS: String(limits.timeoutMs),
    IKIGAI_MAX_OUTPUT_BYTES: String(limits.maxOutputBytes),
  };
  const wantedKeys = tool.schema.ikigai?.env;
  const hasProgress = onProgress !== undefined;
  const run = { tool, args: [], call, wantedKeys, cwd, projectDir, env, hasInput: true, hasProgress };
  return toolCommand(run, placeOf(tool, limits, options));
}

function placeOf(tool: RegisteredTool, { timeoutMs }: CallLimits, options: ExecuteOptions) {
  const { projectDir, sandbox, env = process.env } = options;
  const { path, identity, scope, shadowed, schema, launcher } = tool;
  if (launcher) return launcherPlace(launcher, { projectDir, env, timeoutMs });
  if (!sandbox) return undefined;
  const toolFiles = [path, identity.realPath, ...(shadowed === undefined ? [] : [shadowed])];
  const wantedKeys = scope === "project" ? [] : schema.ikigai?.env;
  return sandboxPlace(sandbox, { projectDir, isReadOnly: false, toolFiles, wantedKeys });
}
