import {
  type Config,
  loadConfig,
  openToolbox as open,
  openNetwork,
  type Places,
  savedRules,
  type Toolbox,
  type ToolRules,
  toolRules,
} from "@ikigai/agent/internal";
import { sandboxProblem } from "@ikigai/core/internal";
import { AgentError } from "@ikigai/session";
import { beforeExit } from "@ikigai/system";

/**
 * Starts to load the tools, by default with the rules of the configuration. Tools that are still printing their schema end with
 * this process.
 */
export function openToolbox(places: Places, env: NodeJS.ProcessEnv, rules = configuredRules(places)): Toolbox {
  const toolbox = open(places, env, rules);
  beforeExit(() => toolbox.close());
  return toolbox;
}

function configuredRules(places: Places): ToolRules {
  return toolRules(loadConfig(places.home).config, places);
}

/** The same rules, with a network whose door asks the saved rules about hosts: for calls without a conversation. */
export function networkedRules(
  rules: ToolRules,
  { permission }: Config,
  { places, env }: { readonly places: Places; readonly env: NodeJS.ProcessEnv },
): ToolRules {
  const saved = savedRules(places, permission?.rules);
  return openNetwork(rules, { mode: "ask", rules: saved }, { env, allowAdvice: (rule) => `the rule ${rule}` }).rules;
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
