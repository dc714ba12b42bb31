// The worktree of an agent: found again by the number of the agent, and named in the answer if it is kept.
import { existsSync } from "node:fs";
import { agentPlace, type Kept, removeUnchanged, WorktreeError, type WorktreePlace } from "@ikigai/git-files/worktree";
import { type AgentErrorCode, AgentFailure } from "./agent-failure.ts";

/** Returns the worktree of an agent, if it has one. */
export function findWorktree(env: NodeJS.ProcessEnv, session: string, slot: number): WorktreePlace | undefined {
  const place = agentPlace(env, session, slot);
  return existsSync(place.path) ? place : undefined;
}

/** Waits for a worktree that is made for an agent. @throws AgentFailure `INVALID_ARG` if none can be made. */
export async function orFailure<Made>(made: Promise<Made>): Promise<Made> {
  try {
    return await made;
  } catch (error) {
    if (!(error instanceof WorktreeError)) throw error;
    throw new AgentFailure("INVALID_ARG", `No worktree can be made here: ${error.message}`, {
      hint: "Leave worktree out: the agent then works in the project itself.",
    });
  }
}

/**
 * Returns the answer of an agent that has ended, and says where its changes are; without changes, removes the worktree.
 *
 * @param worktree returns it once the agent has ended.
 * @throws what `answer` throws: a failure says the same.
 */
export async function withWorktree<Answer extends object>(
  worktree: () => WorktreePlace | undefined,
  project: string,
  env: NodeJS.ProcessEnv,
  answer: () => Promise<Answer>,
): Promise<Answer & Kept> {
  try {
    const given = await answer();
    return { ...(await removeUnchanged(env, project, worktree())), ...given };
  } catch (error) {
    const kept = await removeUnchanged(env, project, worktree());
    if (!(error instanceof AgentFailure)) throw error;
    throw new AgentFailure(error.code as AgentErrorCode, error.message, { ...kept, ...error.details });
  }
}
