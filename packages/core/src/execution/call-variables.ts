import { dirname } from "node:path";
import { neededVariables } from "../place/tool-environment.ts";
import type { RegisteredTool } from "../registry/registry.ts";
import { type CallLimits, limitVariables } from "./call-limits.ts";

/** Variables that tell ikigai where to find things. Other `IKIGAI_*` variables may be secrets. */
const placeNames = ["IKIGAI_HOME", "IKIGAI_LIBEXEC", "IKIGAI_TOOL_PATH"] as const;

/** Returns the variables the protocol promises to a call, except its ids. */
export function callVariables({ shadowed, launcher, shell }: RegisteredTool, limits: CallLimits, projectDir: string) {
  return {
    // The path means nothing on another machine.
    ...(shadowed !== undefined && !launcher && { IKIGAI_SHADOWED_TOOL: shadowed }),
    ...(shell !== undefined && { IKIGAI_SHELL: shell }),
    IKIGAI_PROJECT_DIR: projectDir,
    ...limitVariables(limits),
  };
}

/** Returns those variables of an environment that tell ikigai where to find things. */
export function placeVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(placeNames.flatMap((name) => (env[name] ? [[name, env[name]] as const] : [])));
}

/**
 * Returns the variables of a tool that the process of its service, which another tool may have started, does not have.
 *
 * @param env the host's environment, with the keys that the tool's schema may ask for.
 * @param had the environment of the process.
 */
export function ownVariables(
  { name, path, scope, shadowed, schema }: RegisteredTool,
  env: NodeJS.ProcessEnv,
  had: NodeJS.ProcessEnv,
): Record<string, string> {
  const wanted = neededVariables(scope, schema.ikigai?.needs?.env);
  const own = [
    ["IKIGAI_TOOL_NAME", name],
    ["IKIGAI_TOOL_DIR", dirname(path)],
    ["IKIGAI_SHADOWED_TOOL", shadowed],
    ...wanted.map((key) => [key, env[key]] as const),
  ] as const;
  return Object.fromEntries(
    own.flatMap(([key, value]) => (value && had[key] !== value ? [[key, value] as const] : [])),
  );
}
