// Calls that another program's model makes, as through `ikigai mcp serve`: by the rules of a run without a user, and in the order
// that their files require. The first call begins the session and runs its hooks.

import { setMaxListeners } from "node:events";
import type { Registry } from "@ikigai/core";
import type { Progress } from "@ikigai/protocol";
import { aheadCalls } from "../turn/ahead-calls.ts";
import type { SeenOutcome } from "../turn/answer-files.ts";
import { type CallContext, QuestionQueue, recorder, sceneOf } from "../turn/turn-context.ts";
import { createLoopGuard } from "../turn/turn-limits.ts";
import type { AgentContext } from "./open-agent.ts";

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

/**
 * Runs calls for other programs, by the rules of a run without a user to ask. Commands that only read need a rule, too, unless the
 * configuration says otherwise.
 */
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
  // A program that the user may not watch chooses the commands.
  permission.readOnlyCommands ??= false;
  const record = recorder(conversation, notice);
  let lastId = 0;
  let started: ReturnType<typeof start> | undefined;
  let arrived: Promise<unknown> = Promise.resolve();
  return async (call, registry) => {
    const id = `call_${++lastId}`;
    const turn = contextOf(context, call, { id, record, notice });
    const part = { type: "tool_call", id, name: call.name, arguments: call.arguments } as const;
    // The session begins with its first call: a program that only lists the tools leaves no log.
    const isFirst = started === undefined;
    started ??= start(turn, call.caller);
    record(part);
    const queued = Promise.all([started, arrived]).then(async ([{ orderedCall, run, said }]) => {
      const one = await orderedCall(turn, part, registry);
      // In an object: the next call must not wait for this one's outcome.
      return { outcome: run(turn, isFirst ? { ...one, said } : one, registry) };
    });
    arrived = queued.catch(() => {});
    const outcome = await (await queued).outcome;
    // Keeps a process for the next call.
    turn.ahead.asked();
    const { hookEnd } = turn;
    return { ...outcome, ...(hookEnd !== undefined && { hookEnd }) };
  };
}

/** Begins the session: in lists of sessions it has the caller as its title. */
async function start(turn: CallContext, caller: string) {
  turn.record({ type: "user", text: `Calls of ${caller}` });
  const { callQueue, orderedCall } = await import("../turn/run-calls.ts");
  return { orderedCall, run: callQueue(), said: await startHooks(turn) };
}

/** Runs the hooks of the session's start; returns what they say, for the first result. */
async function startHooks(turn: CallContext): Promise<readonly string[]> {
  const scene = sceneOf(turn);
  if (!scene) return [];
  const { sessionStarts } = await import("../hooks/event-hooks.ts");
  return sessionStarts(scene);
}

/** Where a call is recorded, and how the user learns of it. */
interface CallReport extends Pick<CallContext, "record"> {
  readonly id: string;
  /** Tells the user something, one sentence. */
  readonly notice: (text: string) => void;
}

function contextOf(
  context: AgentContext,
  { signal, onProgress }: ServedCall,
  { id, record, notice }: CallReport,
): CallContext {
  const { conversation, secrets, rules, permission } = context;
  // Every running program of the call listens: not a leak, although there are more than Node's ten.
  setMaxListeners(0, signal);
  // Another program's model gets no message about the end of a job.
  const { jobs: _, ...own } = context;
  const options = {
    ...own,
    settingsFor: rules.settingsFor,
    sandboxFor: rules.sandboxFor,
    sandboxChecked: () => context.sandbox.check(permission, notice),
    catalog: () => context.toolbox.catalog(),
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
    ahead: aheadCalls(options, signal, conversation),
    questions: new QuestionQueue(),
    record,
  };
}
