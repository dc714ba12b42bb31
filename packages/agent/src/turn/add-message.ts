// The messages that a turn adds in the user's name: the user's own, after the hooks have seen them; those sent while the turn runs, with news
// of jobs; and what keeps the model at work when it is done: a hook, or a goal that is not reached.

import { type MessageExtras, userMessage } from "@ikigai/models";
import { keepImages, promptState } from "@ikigai/session";
import { escapeOf, redact, showOnLine } from "@ikigai/system";
import type { UserInput } from "./agent-event.ts";
import type { FrozenPrompt } from "./system-prompt.ts";
import { sceneOf, type TurnContext } from "./turn-context.ts";

/**
 * Adds a user message to the conversation, unless a hook refuses it: then returns why.
 *
 * @param prompt the prompt of a turn that the message begins.
 */
export async function addUserMessage(
  turn: TurnContext,
  input: UserInput,
  prompt?: FrozenPrompt,
): Promise<string | undefined> {
  const admission = await admit(turn, input.text);
  if ("refusal" in admission) {
    turn.notSent?.(input);
    return admission.refusal;
  }
  const { context }: { readonly context?: string } = admission;
  if (prompt?.parts) {
    const { parts, tools } = prompt;
    turn.record({ type: "prompt", parts, ...(tools && { tools }) });
    Object.assign(turn.conversation, promptState({ parts, ...(tools && { tools }) }));
  }
  addMessage(turn, input, { context, changed: prompt?.changed });
  return undefined;
}

const sending = {
  question: "Send the message anyway?",
  yes: "Send it",
  no: "Do not send it",
  asker: "A hook",
} as const;

/** What hooks add to a message, if anything; or why it must not be sent. */
type Admission = { readonly context?: string } | { readonly refusal: string };

/** Runs the hooks for a message, and before them those for the start of the session. */
async function admit(turn: TurnContext, text: string): Promise<Admission> {
  const scene = sceneOf(turn);
  if (!scene) return {};
  // Loaded only if there are hooks.
  const { promptHooks, sessionStarts } = await import("../hooks/event-hooks.ts");
  const start = await sessionStarts(scene);
  const { confirm, signal } = turn;
  const hooked = await promptHooks(scene, text, confirm && ((why) => confirm({ ...sending, why }, signal)));
  if ("refusal" in hooked) return hooked;
  const context = [...start, ...hooked.context];
  return context.length === 0 ? {} : { context: context.join("\n\n") };
}

/** Adds a message of ikigai's own, which is part of the user's turn. */
export function addOwnMessage(turn: TurnContext, text: string): void {
  turn.record({ type: "user", text, isOwn: true });
  turn.conversation.messages.push(userMessage(text));
  turn.emit({ type: "user", text });
}

/** Adds a message that hooks have seen. */
function addMessage(turn: TurnContext, { text, images = [] }: UserInput, more: MessageExtras = {}): void {
  const { log, messages } = turn.conversation;
  const kept = images.length > 0 && { images: keepImages(log, images) };
  const { context, changed } = more;
  turn.record({
    type: "user",
    text,
    ...kept,
    ...(context !== undefined && { context }),
    ...(changed !== undefined && { changed }),
  });
  turn.undo?.begin(text, (problem) => turn.emit({ type: "notice", text: problem }));
  messages.push(userMessage(text, images, more));
  turn.emit({ type: "user", text });
}

/** Adds steering messages; returns whether there were any. */
export async function addSteering(turn: TurnContext): Promise<boolean> {
  let isAdded = addJobNews(turn);
  for (const input of turn.takeSteering?.() ?? []) {
    const refusal = await addUserMessage(turn, input);
    if (refusal === undefined) isAdded = true;
    else turn.emit({ type: "notice", text: refusal });
  }
  return isAdded;
}

/** Adds what has become of jobs; returns whether there was any. */
function addJobNews(turn: TurnContext): boolean {
  const { jobs, conversation, secrets } = turn;
  const news = jobs?.takeNews(conversation.id) ?? [];
  for (const text of news) addOwnMessage(turn, redact(text, secrets));
  return news.length > 0;
}

/** How often hooks may have a turn continued. A hook that always asks for it must not run all night. */
const maxContinuations = 3;

/** Runs the hooks for the end of a turn. Returns whether the model must continue; it has then been told why. */
export async function goesOn(turn: TurnContext): Promise<boolean> {
  const scene = sceneOf(turn);
  if (!scene) return false;
  const { stopHooks } = await import("../hooks/event-hooks.ts");
  const fields = { stop_hook_active: turn.continuations > 0, last_assistant_message: turn.text };
  const { ends, continues } = await stopHooks(scene, fields);
  if (ends !== undefined) scene.notice(ends);
  if (continues === undefined || turn.signal.aborted) return false;
  if (turn.continuations === maxContinuations) {
    scene.notice(
      `The hook ${showOnLine(continues.path, escapeOf)} wants the model to continue again; hooks may do that ${maxContinuations} times a turn.`,
    );
    return false;
  }
  turn.continuations++;
  const { text } = continues;
  scene.notice(`Continuing because of a hook: ${text.replace(/\s+/g, " ")}`);
  turn.record({ type: "user", text, isOwn: true });
  turn.conversation.messages.push(userMessage(text));
  return true;
}

/** How often in a row the model may say that it is done, without a call, while the goal is not reached. */
const maxIdleAnswers = 3;

/** Looks at the turn's goal. A miss is a message to the model; if it does nothing about it, the goal is given up. */
export async function lookAtGoal(turn: TurnContext): Promise<"reached" | "missed" | "given up"> {
  const { goal, signal } = turn;
  if (!goal || signal.aborted) return "reached";
  const { isReached, text } = await goal(signal);
  if (signal.aborted) return "missed";
  if (isReached) turn.emit({ type: "notice", text });
  if (isReached) return "reached";
  if (++turn.idleAnswers >= maxIdleAnswers) return "given up";
  addOwnMessage(turn, redact(text, turn.secrets));
  return "missed";
}

/** The end of a turn whose goal is given up. */
export const goalMissed = {
  code: "goal_missed",
  message: `Stopped: the goal is not reached, and the model has answered ${maxIdleAnswers} times in a row without a tool call.`,
} as const;
