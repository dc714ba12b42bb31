import type { RegisteredTool } from "../registry/registry.ts";
import type { CallLimits } from "./call-limits.ts";

/** What the user may set to say where ikigai finds things. Others that begin with `IKIGAI_` may be somebody's secrets. */
const placeNames = ["IKIGAI_HOME", "IKIGAI_LIBEXEC", "IKIGAI_TOOL_PATH"] as const;

/** The variables that the protocol promises to a call, without those that name it. */
export function callVariables({ shadowed, launcher }: RegisteredTool, limits: CallLimits, projectDir: string) {
  return {
    // On another machine its path means nothing.
    ...(shadowed !== undefined && !launcher && { IKIGAI_SHADOWED_TOOL: shadowed }),
    IKIGAI_PROJECT_DIR: projectDir,
    IKIGAI_TIMEOUT_MS: String(limits.timeoutMs),
    IKIGAI_MAX_OUTPUT_BYTES: String(limits.maxOutputBytes),
  };
}

/** The documented variables of an environment that say where ikigai finds things. */
export function placeVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(placeNames.flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])));
}
