import { AgentError, type Places, type ToolRules } from "@ikigai/agent/internal";
import { sandboxProblem } from "@ikigai/core/internal";

/**
 * Makes sure that the sandbox works, if the user wants one.
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
