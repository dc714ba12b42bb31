import type { Places, ToolRules } from "@ikigai/agent/internal";
import { sandboxProblem } from "@ikigai/core/internal";

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
