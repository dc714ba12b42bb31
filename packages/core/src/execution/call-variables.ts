import type { RegisteredTool } from "../registry/registry.ts";
import type { CallLimits } from "./call-limits.ts";

/** Variables that tell ikigai where to find things. Other `IKIGAI_*` variables may be secrets. */
const placeNames = ["IKIGAI_HOME", "IKIGAI_LIBEXEC", "IKIGAI_TOOL_PATH"] as const;

/** Returns the variables the protocol promises to a call, except its ids. */
export function callVariables({ shadowed, launcher }: RegisteredTool, limits: CallLimits, projectDir: string) {
  return {
    // The path means nothing on another machine.
    ...(shadowed !== undefined && !launcher && { IKIGAI_SHADOWED_TOOL: shadowed }),
    IKIGAI_PROJECT_DIR: projectDir,
    IKIGAI_TIMEOUT_MS: String(limits.timeoutMs),
    IKIGAI_MAX_OUTPUT_BYTES: String(limits.maxOutputBytes),
  };
}

/** Returns those variables of an environment that tell ikigai where to find things. */
export function placeVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(placeNames.flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])));
}
