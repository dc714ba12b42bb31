// The tools of a command that is no conversation: loads them, requires the sandbox, and says which name was meant.

import { openToolbox, type Places, type ToolRules, toolSetup } from "@ikigai/agent/internal";
import type { Registry } from "@ikigai/core";
import { sandboxProblem } from "@ikigai/core/internal";
import { AgentError } from "@ikigai/session";
import { beforeExit, nearestWord } from "@ikigai/system";

/**
 * Starts to load the tools, by default with the rules of the configuration. Tools that are still printing their schema end with
 * this process.
 */
export function openCommandTools(places: Places, env: NodeJS.ProcessEnv, rules = toolSetup({ places, env }).rules) {
  const toolbox = openToolbox(places, env, rules);
  beforeExit(() => toolbox.close());
  return toolbox;
}

/**
 * Makes sure that the sandbox works, if it is enabled.
 *
 * @throws AgentError `sandbox_unavailable`.
 */
export async function requireSandbox(
  { sandbox }: ToolRules,
  { projectDir }: Places,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const problem = sandbox && (await sandboxProblem(sandbox, projectDir, env));
  if (!problem) return;
  throw new AgentError("sandbox_unavailable", `${problem} Nothing was run. More: ikigai doctor`);
}

/** Says that there is no such tool, with the nearest name. */
export function toolNotFound(registry: Registry, name: string): string {
  const nearest = nearestName(registry, name);
  return `Tool not found: ${name}. ${nearest === undefined ? "See: ikigai tool list" : `Did you mean ${nearest}?`}`;
}

/** Returns the name of a tool closest to `name`, if one is close enough to be a likely typo. */
export function nearestName({ tools }: Registry, name: string): string | undefined {
  return nearestWord(
    name,
    tools.map((tool) => tool.name),
  );
}
