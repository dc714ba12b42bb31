import { launchedCommand } from "../place/launcher/launched-command.ts";
import { sandboxedCommand } from "../place/sandbox/sandboxed-command.ts";
import type { Command } from "../process/start-process.ts";
import { type CallVariables, toolEnvironment } from "../process/tool-environment.ts";
import { toolWords } from "../process/tool-words.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import type { CallLimits } from "./call-limits.ts";
import type { ExecuteOptions } from "./execute-options.ts";

/** What is started for a call, or why nothing can be: the end of a sentence. */
export function commandFor(
  tool: RegisteredTool,
  limits: CallLimits,
  options: ExecuteOptions,
): Command | { readonly failure: string } {
  const { name, scope, launcher } = tool;
  const { cwd, projectDir, sandbox, env = process.env } = options;
  const call = variablesOf(limits, options);
  if (launcher) {
    const { timeoutMs } = limits;
    return launchedCommand(launcher, { name, scope, args: [], call, hasInput: true, timeoutMs, cwd, projectDir, env });
  }
  const command = directCommand(tool, call, options);
  if ("failure" in command || !sandbox) return command;
  const toolFiles = [tool.path, tool.identity.realPath, ...(tool.shadowed === undefined ? [] : [tool.shadowed])];
  const wantedKeys = scope === "project" ? [] : tool.schema.ikigai?.env;
  return sandboxedCommand(command, sandbox, { projectDir, isReadOnly: false, toolFiles, wantedKeys });
}

function directCommand(
  { name, path, scope, schema, shadowed }: RegisteredTool,
  call: CallVariables,
  { cwd, projectDir, env = process.env, onProgress }: ExecuteOptions,
): Command | { readonly failure: string } {
  const owner = { name, path, scope, wantedKeys: schema.ikigai?.env };
  const overridden = shadowed === undefined ? {} : { IKIGAI_SHADOWED_TOOL: shadowed };
  const words = toolWords({ path, args: [] }, { scope, env, projectDir });
  if ("failure" in words) return words;
  return {
    ...words,
    cwd,
    env: toolEnvironment(env, owner, { ...overridden, ...call }),
    hasInput: true,
    hasProgress: onProgress !== undefined,
  };
}

function variablesOf(limits: CallLimits, { projectDir, sessionId, callId }: ExecuteOptions): CallVariables {
  return {
    IKIGAI_PROJECT_DIR: projectDir,
    IKIGAI_SESSION_ID: sessionId,
    IKIGAI_CALL_ID: callId,
    IKIGAI_TIMEOUT_MS: String(limits.timeoutMs),
    IKIGAI_MAX_OUTPUT_BYTES: String(limits.maxOutputBytes),
  };
}
