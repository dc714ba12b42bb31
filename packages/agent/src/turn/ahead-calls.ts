import { findTool, type Registry } from "@ikigai/core";
import { type AheadProcess, type ExpectedCall, hashTool, startAhead } from "@ikigai/core/internal";
import type { ToolSettings } from "../config/tool-settings.ts";
import { stateDir } from "../session/beside-log.ts";
import type { Conversation } from "../session/conversation.ts";
import type { CallOptions } from "./turn-options.ts";
import { progressWithoutSecrets } from "./without-secrets.ts";

/** How many tools are started ahead; as many as can run at once. */
const maxAhead = 8;

/** How long sending a request takes, in milliseconds. Forking blocks the host for 3. */
const sendingMs = 2;

/**
 * If the model answers faster than this, in milliseconds, the next process is started immediately, because it may be needed
 * before it has started.
 */
const quickAnswerMs = 50;

/** Tools started early because the model has begun a call. */
export interface AheadCalls {
  /** Returns the circumstances of a call in the current step, whether it has arrived or is only expected. */
  circumstances(id: string, name: string): ExpectedCall;
  start(id: string, name: string, registry: Registry): void;
  /** Returns the process started for a call, if there is one. */
  take(id: string): AheadProcess | undefined;
  /** The request is being sent. */
  asked(): void;
  /** Ends the processes whose calls did not arrive. */
  discard(): void;
}

/** Starts tools ahead of their calls. A process is used only if it was started in the call's own circumstances. */
export function aheadCalls(options: CallOptions, signal: AbortSignal, conversation: Conversation): AheadCalls {
  const known = new Map<string, ExpectedCall>();
  const circumstances: AheadCalls["circumstances"] = (id, name) => {
    const call = known.get(id) ?? { ...circumstancesOf(options, signal, conversation, { id, name }), refill };
    known.set(id, call);
    return call;
  };
  const waiting = new Map<string, AheadProcess>();
  const wanted: (() => void)[] = [];
  // By `process.uptime()`: `performance` would load a module of Node, just before the first request is sent.
  let askedAtMs = 0;
  /** Starts a process for a tool's next call at a time when nothing waits for the host. */
  const refill = (start: () => void) => {
    if (process.uptime() * 1_000 - askedAtMs < quickAnswerMs) setImmediate(start);
    else wanted.push(start);
  };
  return {
    circumstances,
    asked() {
      askedAtMs = process.uptime() * 1_000;
      for (const keep of wanted.splice(0)) setTimeout(keep, sendingMs);
    },
    start(id, name, registry) {
      const tool = findTool(registry, name);
      if (!tool || waiting.has(id) || waiting.size >= maxAhead) return;
      const ahead = startAhead(tool, { ...circumstances(id, name), callId: id });
      if (ahead) waiting.set(id, ahead);
      // The log needs it when the call is made, and the model is still writing.
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
  { env, overflowDir, settingsFor, permission, emit, spares, catalog, secrets = [] }: CallOptions,
  signal: AbortSignal,
  conversation: Conversation,
  { id, name }: { readonly id: string; readonly name: string },
): ExpectedCall {
  const { projectDir, readableDirs } = permission;
  return {
    cwd: projectDir,
    projectDir,
    sessionId: conversation.id,
    stateDir: stateDir(conversation),
    ...(env && { env }),
    ...showing(settingsFor?.(name), readableDirs),
    overflowDir,
    signal,
    spares,
    ...(catalog && { catalog }),
    onProgress: (progress) => emit({ type: "tool_progress", id, progress: progressWithoutSecrets(progress, secrets) }),
  };
}

/** Files that a tool may read without a question are visible in its sandbox too. */
function showing(settings: ToolSettings = {}, readableDirs: readonly string[] = []): ToolSettings {
  const { sandbox } = settings;
  if (!sandbox) return settings;
  return { ...settings, sandbox: { ...sandbox, readable: [...sandbox.readable, ...readableDirs] } };
}
