import { renderFailure } from "@ikigai/core/internal";
import type { LoadedConfig } from "../config/config.ts";
import { renderConfigProblem } from "../config/config-error.ts";
import { findInstructions } from "../project/find-instructions.ts";
import type { AgentContext } from "./agent-context.ts";
import { privacyProblems } from "./privacy-problems.ts";

/** Returns what the user should know before the first message, one sentence each. */
export async function agentNotices(
  { config, toolbox, permission, conversation }: AgentContext,
  loaded: LoadedConfig,
): Promise<string[]> {
  const { home, projectDir } = permission;
  const { failed, problems } = await toolbox.last();
  return [
    ...loaded.problems.map(renderConfigProblem),
    ...(config.storedKeys?.problem === undefined ? [] : [config.storedKeys.problem]),
    ...privacyProblems(home),
    ...findInstructions(projectDir, home).refused,
    ...failed.map(renderFailure),
    ...problems,
    ...(conversation.log.problem === undefined ? [] : [conversation.log.problem]),
  ];
}
