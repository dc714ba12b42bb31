import { isAbsolute, join } from "node:path";
import { isInside, realPathOf } from "@ikigai/system";
import { AgentError } from "../model/agent-error.ts";
import type { PermissionLimit } from "../permission/permission.ts";
import type { AgentPlace } from "./agent-state.ts";
import type { Grant } from "./grant.ts";

/**
 * The directory of the worktree that the agent of a grant may work in. Not in the user's ikigai directory, where every change needs
 * a question.
 */
function worktreePlace({ session, slot }: Grant, { userHome, env }: AgentPlace): string {
  const { XDG_STATE_HOME: given = "" } = env;
  const state = isAbsolute(given) ? given : join(userHome, ".local/state");
  return join(state, "ikigai/worktrees", `${session}-${slot}`);
}

/**
 * Returns what limits the permission of an agent.
 *
 * @throws AgentError `grant` if the agent is to work in a directory that is neither inside the project nor a copy of it.
 */
export function limitsFor(grant: Grant, place: AgentPlace): PermissionLimit[] {
  const { mode, rules, readOnlyCommands, projectDir: granted, within } = grant;
  const { projectDir } = place;
  const limits = [{ mode, rules, readOnlyCommands, projectDir: granted }, ...within];
  const own = realPathOf(projectDir);
  if (isInside(own, realPathOf(granted))) return limits;
  if (isInside(own, realPathOf(worktreePlace(grant, place)))) return limits.map(({ projectDir: _, ...limit }) => limit);
  throw new AgentError("grant", `This agent may only work in ${granted}, and ${projectDir} is outside of it.`);
}
