import { type AheadProcess, type ExecuteOptions, findTool, hashTool, type Registry, startAhead } from "@ikigai/core";
import type { TurnOptions } from "./turn-options.ts";

/** How many tools are started ahead at once; the same number runs at once. */
const maxAhead = 8;

/** The tools that have been started because the model has begun to write a call. */
export interface AheadCalls {
  start(id: string, name: string, registry: Registry): void;
  /** The process that was started for a call, if one was. */
  take(id: string): AheadProcess | undefined;
  /** Ends those whose calls have not come. */
  discard(): void;
}

/** `circumstances` are those of the call itself: a process is of use only if it was started in the same. */
export function aheadCalls(circumstances: (id: string, name: string) => ExecuteOptions): AheadCalls {
  const waiting = new Map<string, AheadProcess>();
  return {
    start(id, name, registry) {
      const tool = findTool(registry, name);
      if (!tool || waiting.has(id) || waiting.size >= maxAhead) return;
      const ahead = startAhead(tool, circumstances(id, name));
      if (ahead) waiting.set(id, ahead);
      // The log will want it when the call is made, and the model is still writing.
      void hashTool(tool.path);
    },
    take(id) {
      const ahead = waiting.get(id);
      waiting.delete(id);
      return ahead;
    },
    discard() {
      for (const ahead of waiting.values()) ahead.discard();
      waiting.clear();
    },
  };
}

/** The circumstances of one call, whether it is made or only expected. */
export function callCircumstances(
  { cwd, projectDir, env, overflowDir, tools, signal, emit }: TurnOptions,
  sessionId: string,
): (id: string, name: string) => ExecuteOptions {
  return (id, name) => ({
    cwd,
    projectDir,
    sessionId,
    callId: id,
    ...(env && { env }),
    ...tools?.[name],
    overflowDir,
    signal,
    onProgress: (progress) => emit({ type: "tool_progress", id, progress }),
  });
}
