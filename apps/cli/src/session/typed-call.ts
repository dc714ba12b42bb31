import type { Agent } from "../host/open-agent.ts";

/**
 * The arguments of bash for a command that the user typed after `!`. One that ends in `&` runs in the background, as a shell does it:
 * otherwise it would end with the call.
 */
export function typedArguments(typed: string): { readonly command: string; readonly background?: true } {
  const [, command] = /^([^\n]*[^&\s\\])\s*&$/.exec(typed) ?? [];
  return command === undefined ? { command: typed } : { command, background: true };
}

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

/** A command that the user typed after `!`; after `!!` it stays apart from the conversation. */
export function typedCommand(typed: string): { readonly command: string; readonly isApart: boolean } {
  const isApart = typed.startsWith("!!");
  return { command: typed.slice(isApart ? 2 : 1).trim(), isApart };
}
