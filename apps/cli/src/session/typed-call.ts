import type { Agent } from "../host/open-agent.ts";

/**
 * Options of a command that the user typed after `!`: it runs in the project, without a time limit, since the user can stop it.
 */
export function typedCallOptions(agent: Agent, callId: string, signal: AbortSignal) {
  const { places, rules, conversation, env, overflowDir } = agent;
  return {
    ...rules.settingsFor("bash"),
    timeoutMs: Number.MAX_SAFE_INTEGER,
    cwd: places.projectDir,
    projectDir: places.projectDir,
    sessionId: conversation.id,
    callId,
    env,
    overflowDir,
    signal,
  };
}
