import type { Model, Patience, Usage } from "@ikigai/models";
import type { PendingCall, Question } from "@ikigai/permission";
import type { Conversation, SessionEvent } from "@ikigai/session";
import type { HookScene } from "../hooks/run-hooks.ts";
import type { AheadCalls } from "./ahead-calls.ts";
import type { LimitWatch } from "./limits.ts";
import type { LoopGuard } from "./loop-guard.ts";
import type { CallOptions, TurnOptions } from "./turn-options.ts";

/** What running calls needs: of a turn, or of a call that another program's model makes. */
export interface CallContext extends CallOptions {
  readonly conversation: Conversation;
  readonly signal: AbortSignal;
  readonly guard: LoopGuard;
  readonly ahead: AheadCalls;
  readonly secrets: readonly string[];
  /** Resolves when the open question is answered: one question at a time. */
  question: Promise<unknown>;
  /** How many questions have been answered: what they allowed may have changed what a call does. */
  answerCount: number;
  /** The questions about the calls that wait until they can be asked about. */
  readonly waiting: Question[];
  /** Those that the user has allowed or denied together with an earlier one. Not by their IDs, which a server can use again. */
  readonly answered: WeakMap<PendingCall, "allow" | "deny">;
  /** Why a hook ended the turn. */
  hookEnd?: string;
  /** Writes to the log before the event takes effect. Notifies the user once if that fails. */
  record(event: SessionEvent): void;
}

/** A running turn: its options and its state. */
export interface TurnContext extends TurnOptions, CallContext {
  readonly signal: AbortSignal;
  readonly model: Model;
  readonly secrets: readonly string[];
  readonly patience: Patience;
  usage: Usage;
  steps: number;
  /** The text of the last step. */
  text: string;
  /** The number of corrections: answers that did not fit the output schema. */
  corrections: number;
  /** How often a rejected request had to be shortened; 0 again after one that succeeded. */
  compactions: number;
  /** The number of steps when the model last failed to summarize, so that it is not asked again at every step. */
  summaryFailedAtStep?: number;
  /** The server has rejected a request with a thinking level, and accepted it without: the rest of the turn has none. */
  leavesOutThinking?: boolean;
  /** How often hooks have had the turn continued. */
  continuations: number;
  /** Follows what the turn uses; absent without limits. */
  readonly watch?: LimitWatch;
}

/** Returns a function that writes to a conversation's log. @param tell called once for each new problem with the log. */
export function recorder({ log }: Conversation, tell: (problem: string) => void): (event: SessionEvent) => void {
  const reported = new Set([log.problem]);
  return (event) => {
    log.append(event);
    const { problem } = log;
    if (problem === undefined || reported.has(problem)) return;
    reported.add(problem);
    tell(problem);
  };
}

/** A turn as its hooks see it; `undefined` without hooks, and when recorded answers replace what would run. */
export function sceneOf(turn: CallContext): HookScene | undefined {
  const { hooks, recorded, conversation, permission, secrets, signal } = turn;
  if (!hooks || recorded || hooks.finder.isEmpty()) return undefined;
  return {
    ...{ hooks, conversation, permission, secrets, signal },
    record: (event) => turn.record(event),
    notice: (text) => turn.emit({ type: "notice", text }),
  };
}

/** Runs the hooks for a question to the user, who does not wait for them. */
export function tellOfQuestion(turn: CallContext, message: string): void {
  const scene = sceneOf(turn);
  // The session that started an agent reports its questions to the hooks.
  if (scene && !turn.agents?.grant) void tell(scene, message);
}

async function tell(scene: HookScene, message: string): Promise<void> {
  // Loaded only now: most users have no hooks.
  const { runAll } = await import("../hooks/run-hooks.ts");
  await runAll(scene, "question", { message, notification_type: "permission_prompt" });
}
