import type { Agent } from "../host/open-agent.ts";

/**
 * How a command that the user typed behind `!` is run: in the project and with no time limit, because whoever typed it can stop
 * it.
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
