import { openToolbox as open, type Places, type ToolRules, toolSetup } from "@ikigai/agent/internal";
import { sandboxProblem } from "@ikigai/core/internal";
import { AgentError } from "@ikigai/session";
import { beforeExit } from "@ikigai/system";

/**
 * Starts to load the tools, by default with the rules of the configuration. Tools that are still printing their schema end with
 * this process.
 */
export function openToolbox(places: Places, env: NodeJS.ProcessEnv, rules = toolSetup({ places, env }).rules) {
  const toolbox = open(places, env, rules);
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
