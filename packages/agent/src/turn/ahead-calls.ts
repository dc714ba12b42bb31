import { findTool, type RegisteredTool, type Registry } from "@ikigai/core";
import { type AheadProcess, type ExpectedCall, hashTool, startAhead } from "@ikigai/core/internal";
import type { ToolSettings } from "../config/tool-settings.ts";
import type { TurnOptions } from "./turn-options.ts";
import { progressWithoutSecrets } from "./without-secrets.ts";

/** How many tools are started ahead at once; the same number runs at once. */
const maxAhead = 8;

/** How long a request takes to be on its way, in milliseconds. A host that forks stands still for 3. */
const sendingMs = 2;

/** A model that answers sooner, in milliseconds, may want the next process before it has started, so it is started at once. */
const quickAnswerMs = 50;

/** The tools that have been started because the model has begun to write a call. */
export interface AheadCalls {
  start(id: string, name: string, registry: Registry): void;
  /** The process that waits for a call, if one does. */
  take(id: string, tool: RegisteredTool): AheadProcess | undefined;
  /** Starts a process for the next call of a tool, at a time when nobody waits for the host. */
  keepSpare(tool: RegisteredTool, expected: ExpectedCall): void;
  /** The model is being asked. */
  asked(): void;
  /** Ends those whose calls have not come. */
  discard(): void;
}

/** `expected` gives the circumstances of the call itself: a process is of use only if it was started in the same. */
export function aheadCalls(
  expected: (id: string, name: string) => ExpectedCall,
  spares: TurnOptions["spares"],
): AheadCalls {
  const waiting = new Map<string, AheadProcess>();
  const wanted: (() => void)[] = [];
  let askedAtMs = 0;
  return {
    asked() {
      askedAtMs = performance.now();
      for (const keep of wanted.splice(0)) setTimeout(keep, sendingMs);
    },
    start(id, name, registry) {
      const tool = findTool(registry, name);
      if (!tool || waiting.has(id) || waiting.size >= maxAhead) return;
      const call = expected(id, name);
      const ahead = spares?.take(tool, call) ?? startAhead(tool, { ...call, callId: id });
      if (ahead) waiting.set(id, ahead);
      // The log will want it when the call is made, and the model is still writing.
      void hashTool(tool.path);
    },
    take(id, tool) {
      const ahead = waiting.get(id);
      waiting.delete(id);
      // Some models send a call whole.
      return ahead ?? spares?.take(tool, expected(id, tool.name));
    },
    keepSpare(tool, call) {
      const keep = () => spares?.keep(tool, call);
      if (performance.now() - askedAtMs < quickAnswerMs) setImmediate(keep);
      else wanted.push(keep);
    },
    discard() {
      for (const ahead of waiting.values()) ahead.discard();
      waiting.clear();
    },
  };
}

/** The circumstances of one call, whether it is made or only expected. */
export function callCircumstances(
  { cwd, projectDir, env, overflowDir, settingsFor, permission, signal, emit, secrets = [] }: TurnOptions,
  sessionId: string,
): (id: string, name: string) => ExpectedCall {
  return (id, name) => ({
    cwd,
    projectDir,
    sessionId,
    ...(env && { env }),
    ...showing(settingsFor?.(name), permission.readableDirs),
    overflowDir,
    signal,
    onProgress: (progress) => emit({ type: "tool_progress", id, progress: progressWithoutSecrets(progress, secrets) }),
  });
}

/** What a tool may read without a question, it can read in its sandbox too. */
function showing(settings: ToolSettings = {}, readableDirs: readonly string[] = []): ToolSettings {
  const { sandbox } = settings;
  if (!sandbox) return settings;
  return { ...settings, sandbox: { ...sandbox, readable: [...sandbox.readable, ...readableDirs] } };
}
