import { type Config, type ToolRules, toolRules } from "@ikigai/agent/internal";
import { sandboxProblem } from "@ikigai/core/internal";
import type { SandboxFlags } from "../args/parse-argv.ts";
import { homeOf, type Places } from "./places.ts";

/** How tools are to be run by the command line and the configuration, the first before the second. */
export function toolRulesOf(
  config: Config,
  { home }: Places,
  env: NodeJS.ProcessEnv,
  { sandbox, sandboxNetwork }: SandboxFlags = {},
): ToolRules {
  const flags = { ...(sandbox && { sandbox }), ...(sandboxNetwork && { network: sandboxNetwork }) };
  return toolRules(config, { home, userHome: homeOf(env), flags });
}

/** Why nothing can be done in the sandbox that the user wants, if they want one: there is no going on without it. */
export async function sandboxRefusal(
  { sandbox }: ToolRules,
  { projectDir }: Places,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const problem = sandbox && (await sandboxProblem(sandbox, projectDir, env));
  return problem && `${problem} Nothing was run. More: ikigai doctor`;
}

/** That tools run in the sandbox, and which do not, a line each. */
export function sandboxNotices({ sandbox, launchers }: ToolRules): string[] {
  if (!sandbox) return [];
  const elsewhere = Object.keys(launchers);
  const reach = sandbox.network ? "with the network" : "without the network";
  return [
    `Tools run in the sandbox: they can change the project only, ${reach}.`,
    ...(elsewhere.length > 0 ? [`Not in it, as they run somewhere else: ${elsewhere.join(", ")}.`] : []),
  ];
}
