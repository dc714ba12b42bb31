import type { Agent } from "../host/open-agent.ts";

/** A call by the user. */
interface TypedCallPlace {
  readonly callId: string;
  readonly tool: string;
  readonly signal: AbortSignal;
}

/** Options of a call by the user: it runs in the project, without a time limit, since the user can stop it. */
export function typedCallOptions(agent: Agent, { callId, tool, signal }: TypedCallPlace) {
  const { places, rules, conversation, toolbox, env, overflowDir } = agent;
  return {
    ...rules.settingsFor(tool),
    timeoutMs: Number.MAX_SAFE_INTEGER,
    cwd: places.projectDir,
    projectDir: places.projectDir,
    sessionId: conversation.id,
    callId,
    env,
    overflowDir,
    catalog: () => toolbox.catalog(),
    signal,
  };
}
