import { setMaxListeners } from "node:events";
import { findTool, type Registry } from "@ikigai/core";
import type { Progress } from "@ikigai/protocol";
import { limitParallel } from "@ikigai/system";
import { aheadCalls } from "../turn/ahead-calls.ts";
import type { SeenOutcome } from "../turn/answer-images.ts";
import { type CallTouch, maxParallelCalls, mustWait, touchOf } from "../turn/call-order.ts";
import { checkArguments } from "../turn/check-arguments.ts";
import { createLoopGuard } from "../turn/loop-guard.ts";
import { recorder } from "../turn/recorder.ts";
import { sceneOf } from "../turn/scene-of.ts";
import type { CallContext } from "../turn/turn-context.ts";
import type { AgentContext } from "./agent-context.ts";

/** A call that another program's model makes. */
export interface ServedCall {
  readonly name: string;
  /** A JSON object. */
  readonly arguments: string;
  /** Who calls, for the log: its name and version. */
  readonly caller: string;
  /** Stops the call, as the user would. */
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/** The outcome of a served call. */
export interface ServedOutcome extends SeenOutcome {
  /** Why a hook wants the other program's turn to end. */
  readonly hookEnd?: string;
}

/** Runs calls for other programs, by the rules of a run without a user to ask. */
export type ServeCall = (call: ServedCall, registry: Registry) => Promise<ServedOutcome>;

/**
 * Returns a function that runs calls in parallel, except that calls which affect the same files keep their order. The calls are
 * logged; the conversation's messages stay empty, however many there are.
 *
 * @param notice tells the user something, one sentence.
 */
export function serveCalls(context: AgentContext, notice: (text: string) => void): ServeCall {
  const { conversation, permission, overflowDir } = context;
  permission.readableDirs = [overflowDir];
  const record = recorder(conversation, notice);
  const limit = limitParallel(maxParallelCalls);
  const running = new Set<RunningCall>();
  let lastId = 0;
  let started: Promise<readonly string[]> | undefined;
  return async (call, registry) => {
    const id = `call_${++lastId}`;
    const turn = contextOf(context, id, call, { record, notice });
    const touch = touchFor(call, registry, permission.projectDir);
    const before = [...running].filter((earlier) => mustWait(touch, earlier.touch)).map(({ ended }) => ended);
    // The session begins with its first call: a program that only lists the tools leaves no log.
    const isFirst = started === undefined;
    started ??= start(turn, call.caller);
    const run = async (): Promise<ServedOutcome> => {
      const said = await started;
      await Promise.all(before);
      const { runOneCall } = await import("../turn/run-calls.ts");
      return limit(async () => {
        const part = { type: "tool_call", id, name: call.name, arguments: call.arguments } as const;
        record(part);
        const outcome = await runOneCall(turn, part, registry, isFirst ? (said ?? []) : []);
        // Keeps a process for the next call.
        turn.ahead.asked();
        const { hookEnd } = turn;
        return { ...outcome, ...(hookEnd !== undefined && { hookEnd }) };
      });
    };
    const outcome = run();
    const one: RunningCall = { touch, ended: outcome.catch(() => {}) };
    running.add(one);
    void one.ended.then(() => running.delete(one));
    return outcome;
  };
}

interface RunningCall {
  readonly touch: CallTouch;
  readonly ended: Promise<unknown>;
}

/** Begins the session: in lists of sessions it has the caller as its title. Returns what hooks say, for the first result. */
async function start(turn: CallContext, caller: string): Promise<readonly string[]> {
  turn.record({ type: "user", text: `Calls of ${caller}` });
  const scene = sceneOf(turn);
  if (!scene) return [];
  const { sessionStarts } = await import("../hooks/session-hooks.ts");
  return sessionStarts(scene);
}

function contextOf(
  context: AgentContext,
  id: string,
  { signal, onProgress }: ServedCall,
  { record, notice }: Pick<CallContext, "record"> & { readonly notice: (text: string) => void },
): CallContext {
  const { conversation, secrets, rules } = context;
  // Every running program of the call listens: not a leak, although there are more than Node's ten.
  setMaxListeners(0, signal);
  const options = {
    ...context,
    settingsFor: rules.settingsFor,
    emit: (event: Parameters<CallContext["emit"]>[0]) => {
      if (event.type === "tool_progress" && event.id === id) onProgress?.(event.progress);
      if (event.type === "notice") notice(event.text);
    },
  };
  return {
    ...options,
    signal,
    secrets,
    guard: createLoopGuard(),
    ahead: aheadCalls(options, signal, conversation.id),
    question: Promise.resolve(),
    record,
  };
}

function touchFor({ name, arguments: text }: ServedCall, registry: Registry, cwd: string): CallTouch {
  const checked = checkArguments(text);
  return touchOf(findTool(registry, name), "error" in checked ? {} : checked.value, cwd);
}
