import type { RegisteredTool } from "../registry/registry.ts";
import { callLimits } from "./call-limits.ts";
import type { ExecuteOptions } from "./execute-options.ts";

/** What the user may set to say where ikigai finds things. Others that begin with `IKIGAI_` may be somebody's secrets. */
const placeNames = ["IKIGAI_HOME", "IKIGAI_LIBEXEC", "IKIGAI_TOOL_PATH"] as const;

/**
 * The documented variables that this call's process gets and that neither the tool nor the call's id tells: what has to be
 * kept to make the same call again.
 */
export function callVariables(tool: RegisteredTool, args: string, options: ExecuteOptions): Record<string, string> {
  const { env = process.env, projectDir } = options;
  const { timeoutMs, maxOutputBytes } = callLimits(tool, args, options);
  const places = placeNames.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  return {
    ...Object.fromEntries(places),
    ...(tool.shadowed !== undefined && { IKIGAI_SHADOWED_TOOL: tool.shadowed }),
    IKIGAI_PROJECT_DIR: projectDir,
    IKIGAI_TIMEOUT_MS: String(timeoutMs),
    IKIGAI_MAX_OUTPUT_BYTES: String(maxOutputBytes),
  };
}
