import { findTool, type Registry } from "@ikigai/core";
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
  /** The circumstances in which a call of the current step is made, whether it has come or is only expected. */
  circumstances(id: string, name: string): ExpectedCall;
  start(id: string, name: string, registry: Registry): void;
  /** The process that was started for a call, if one was. */
  take(id: string): AheadProcess | undefined;
  /** The model is being asked. */
  asked(): void;
  /** Ends those whose calls have not come. */
  discard(): void;
}

/** A process is of use only if it was started in the circumstances of the call itself. */
export function aheadCalls(options: TurnOptions, signal: AbortSignal, sessionId: string): AheadCalls {
  const known = new Map<string, ExpectedCall>();
  const circumstances: AheadCalls["circumstances"] = (id, name) => {
    const call = known.get(id) ?? { ...circumstancesOf(options, signal, sessionId, { id, name }), refill };
    known.set(id, call);
    return call;
  };
  const waiting = new Map<string, AheadProcess>();
  const wanted: (() => void)[] = [];
  let askedAtMs = 0;
  /** Starts a process for the next call of a tool at a time when nobody waits for the host. */
  const refill = (start: () => void) => {
    if (performance.now() - askedAtMs < quickAnswerMs) setImmediate(start);
    else wanted.push(start);
  };
  return {
    circumstances,
    asked() {
      askedAtMs = performance.now();
      for (const keep of wanted.splice(0)) setTimeout(keep, sendingMs);
    },
    start(id, name, registry) {
      const tool = findTool(registry, name);
      if (!tool || waiting.has(id) || waiting.size >= maxAhead) return;
      const ahead = startAhead(tool, { ...circumstances(id, name), callId: id });
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
      known.clear();
    },
  };
}

function circumstancesOf(
  { env, overflowDir, settingsFor, permission, emit, spares, secrets = [] }: TurnOptions,
  signal: AbortSignal,
  sessionId: string,
  { id, name }: { readonly id: string; readonly name: string },
): ExpectedCall {
  const { projectDir, readableDirs } = permission;
  return {
    cwd: projectDir,
    projectDir,
    sessionId,
    ...(env && { env }),
    ...showing(settingsFor?.(name), readableDirs),
    overflowDir,
    signal,
    spares,
    onProgress: (progress) => emit({ type: "tool_progress", id, progress: progressWithoutSecrets(progress, secrets) }),
  };
}

/** What a tool may read without a question, it can read in its sandbox too. */
function showing(settings: ToolSettings = {}, readableDirs: readonly string[] = []): ToolSettings {
  const { sandbox } = settings;
  if (!sandbox) return settings;
  return { ...settings, sandbox: { ...sandbox, readable: [...sandbox.readable, ...readableDirs] } };
}
