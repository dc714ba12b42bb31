// A turn: the user's message, then steps until the model makes no more calls. In order: the loop, how an answer ends the turn, the
// answer's form, and the turn's state at its start and its end. Each call has exactly one result, whatever happens. Then the messages that a
// turn adds in the user's name: the user's own, after the hooks have seen them; those sent while it runs, with news of jobs; and what keeps
// the model at work when it is done: a hook, or a goal that is not reached.

import { setMaxListeners } from "node:events";
import {
  asSentence,
  callSwitches,
  defaultPatience,
  type FinishReason,
  isTooMuch,
  type MessageExtras,
  type ModelError,
  noUsage,
  type ToolCallPart,
  userMessage,
} from "@ikigai/models";
import { type Conversation, cancelledJson, keepImages, promptState } from "@ikigai/session";
import { escapeOf, redact, showOnLine } from "@ikigai/system";
import type { TurnEnd, UserInput } from "./agent-event.ts";
import { aheadCalls } from "./ahead-calls.ts";
import { correction, maxCorrections } from "./output-schema.ts";
import { runStep, type StepEnd } from "./run-step.ts";
import type { FrozenPrompt } from "./system-prompt.ts";
import { QuestionQueue, recorder, sceneOf, type TurnContext, type TurnOptions } from "./turn-context.ts";
import { createLoopGuard, maxSameFailures, watchLimits } from "./turn-limits.ts";

/** More requests than a task needs, and few enough to limit the cost of an unattended night. */
const defaultMaxSteps = 500;

/**
 * Runs a turn: queries the model and runs the calls it makes until it makes none. Each call in the conversation then has
 * exactly one result. Rejects only for bugs.
 */
export async function runTurn(
  conversation: Conversation,
  message: string | UserInput,
  options: TurnOptions,
): Promise<TurnEnd> {
  const turn = startTurn(conversation, options);
  try {
    turn.watch?.check();
    const input = typeof message === "string" ? { text: message } : message;
    const refusal = await addUserMessage(turn, input, turn.prompt);
    if (refusal === undefined) return endTurn(turn, await takeSteps(turn));
    return endTurn(turn, turn.signal.aborted ? { reason: "interrupted" } : endedByHook(refusal));
  } finally {
    turn.watch?.close();
    turn.ahead.discard();
    completeHistory(turn);
  }
}

/** How a turn ends, without its counts. */
type Ending = Pick<TurnEnd, "reason" | "error" | "structured">;

async function takeSteps(turn: TurnContext): Promise<Ending> {
  const { conversation, currentRegistry, maxSteps = defaultMaxSteps } = turn;
  while (turn.steps < maxSteps) {
    if (turn.signal.aborted) return { reason: "interrupted" };
    if (turn.isSpent?.()) return { reason: "failed", error: budgetSpent };
    const registry = await currentRegistry();
    const step = await runStep(turn, registry);
    turn.watch?.check();
    if (step.type === "interrupted") return { reason: "interrupted" };
    if (step.type === "failed") {
      return { reason: "failed", error: stuckAdvice(conversation, step.error) };
    }
    const calls = step.parts.filter((part): part is ToolCallPart => part.type === "tool_call");
    if (calls.length === 0 && step.finish !== "content_filter") {
      const ending = afterAnswer(turn, step);
      if (turn.waitsForJobs && !ending.error) await untilJobs(turn);
      if (await addSteering(turn)) {
        if (ending.error) notice(turn, ending.error.message);
        continue;
      }
      const fitting = fitOutput(turn, ending);
      if (!fitting) continue;
      if (fitting.reason !== "done") return fitting;
      if (await goesOn(turn)) continue;
      const goal = await lookAtGoal(turn);
      if (goal === "reached") return fitting;
      if (goal === "given up") return { reason: "failed", error: goalMissed };
      continue;
    }
    const cut = cutTexts[step.finish];
    if (cut !== undefined) notice(turn, cut);
    turn.idleAnswers = 0;
    const { runCalls } = await import("./run-calls.ts");
    const looped = await runCalls(turn, calls, step.finish, registry);
    turn.ahead.discard();
    if (turn.signal.aborted) return { reason: "interrupted" };
    if (step.finish === "content_filter") {
      const note = calls.length > 0 ? " None of its calls ran." : "";
      const message = `The model refused to respond, or the provider's content filter stopped the response.${note}`;
      return { reason: "failed", error: { code: "content_filter", message } };
    }
    if (looped) {
      const message = `Stopped: the model made the same failing ${looped.name} call ${maxSameFailures} times.`;
      return { reason: "loop", error: { code: "loop", message } };
    }
    if (turn.hookEnd !== undefined) return endedByHook(turn.hookEnd);
    await addSteering(turn);
  }
  const message = `Stopped after ${maxSteps} ${maxSteps === 1 ? "request" : "requests"} before the model finished.`;
  return { reason: "max_steps", error: { code: "max_steps", message } };
}

/** Adds what to do when the provider rejects a conversation twice in a row: the next message would be rejected, too. */
function stuckAdvice(conversation: Conversation, error: ModelError): NonNullable<Ending["error"]> {
  const { code, message, mayRejectContent } = error;
  if (!mayRejectContent && !isTooMuch(error)) return { code, message };
  conversation.rejections = (conversation.rejections ?? 0) + 1;
  if (conversation.rejections < 2) return { code, message };
  const advice = "To go on: /rewind to an earlier message, /model to change the model, or /new to start over.";
  return { code, message: `${asSentence(message)} ${advice}` };
}

const budgetSpent = {
  code: "budget_spent",
  message: "Stopped before this agent finished: it has used up its share of the tokens for agents.",
} as const;

/** Waits for the jobs that the model waits for; their end is a message to it. */
async function untilJobs(turn: TurnContext): Promise<void> {
  const { jobs, conversation, signal } = turn;
  const awaited = jobs?.awaited(conversation.id) ?? [];
  if (awaited.length === 0) return;
  notice(turn, `Waiting for ${awaited.map(({ number, title }) => `job ${number} (${title})`).join(", ")}.`);
  await jobs?.untilAwaited(conversation.id, signal);
}

function endedByHook(message: string): Ending {
  return { reason: "failed", error: { code: "hook", message } };
}

/** The user's message about an incomplete response. */
const cutTexts: Readonly<Partial<Record<FinishReason, string>>> = {
  length: "The response is incomplete: it reached the model's output limit (max tokens).",
  other: "The response may be incomplete: it ended for an unknown reason.",
};

/** Returns how the turn ends after a response without calls. */
function afterAnswer(turn: TurnContext, { finish, parts }: Extract<StepEnd, { type: "answered" }>): Ending {
  const message = cutTexts[finish];
  if (message !== undefined) return { reason: "failed", error: { code: "cut_off", message } };
  const textual = callAsText(turn.text);
  if (textual) return { reason: "failed", error: { code: "call_as_text", message: textual } };
  if (parts.length === 0) notice(turn, "The model returned an empty response.");
  else if (turn.text.trim() === "") notice(turn, "The model returned only reasoning, no answer.");
  return { reason: "done" };
}

/** How a call begins in the templates of models: Hermes, Qwen, Mistral, Llama, DeepSeek. */
const callStart =
  /^[ \t]*(?:<tool_call>|<function=|\[TOOL_CALLS\]|<\|tool_call|<\|python_tag\|>|<｜tool▁calls▁begin｜>)/m;

/** How it ends. */
const callEnd = /(?:<\/tool_call>|<\/function>|[}\]]|\|>|｜>)\s*$/;

/** Returns what to do about an answer that ends with a call as text, which nothing runs. */
function callAsText(text: string): string | undefined {
  const start = text.search(callStart);
  if (start < 0 || !callEnd.test(text.slice(-50)) || text.includes("```", start)) return undefined;
  return `The model wrote a tool call as text, so nothing ran: the server does not parse this model's calls. Turn that on (${callSwitches}), or use another model.`;
}

/** Checks the answer against the output schema; returns nothing if the model shall correct it. */
function fitOutput(turn: TurnContext, ending: Ending): Ending | undefined {
  const { outputSchema } = turn;
  if (!outputSchema || ending.reason !== "done") return ending;
  const checked = outputSchema.check(turn.text);
  if ("json" in checked) return { ...ending, structured: checked.json };
  const { isInterpreter = false } = turn.model;
  if (isInterpreter || turn.corrections === maxCorrections) {
    const what = isInterpreter
      ? "The offline interpreter's answer does not fit the output schema."
      : "The model gave no answer that fits the output schema.";
    const message = `${what} ${checked.problem}`;
    return { reason: "failed", error: { code: "output_schema", message } };
  }
  turn.corrections++;
  addOwnMessage(turn, correction(checked.problem));
  return undefined;
}

function startTurn(conversation: Conversation, options: TurnOptions): TurnContext {
  const given = options.signal ?? new AbortController().signal;
  const watch =
    options.limits &&
    watchLimits({
      limits: options.limits,
      usage: () => turn.usage,
      costOf: options.costOf,
      notice: (text) => notice(turn, text),
    });
  const signal = watch ? AbortSignal.any([given, watch.signal]) : given;
  // Every running call and the request listen: not a leak, although there are more than Node's ten.
  setMaxListeners(0, signal);
  const turn: TurnContext = {
    ...options,
    conversation,
    patience: { ...defaultPatience, ...options.patience },
    signal,
    guard: createLoopGuard(),
    ahead: aheadCalls(options, signal, conversation),
    secrets: options.secrets ?? [],
    usage: noUsage,
    steps: 0,
    text: "",
    questions: new QuestionQueue(),
    corrections: 0,
    idleAnswers: 0,
    compactions: 0,
    continuations: 0,
    record: recorder(conversation, (problem) => notice(turn, problem)),
    ...(watch && { watch }),
  };
  return turn;
}

function endTurn(turn: TurnContext, given: Ending): TurnEnd {
  const { usage, steps, text, watch } = turn;
  const error = given.reason === "interrupted" ? watch?.error() : undefined;
  const ending: Ending = error ? { reason: "failed", error } : given;
  const end: TurnEnd = { ...ending, usage, steps, text };
  const { reason } = ending;
  const message = ending.error?.message;
  turn.record({ type: "turn_end", reason, ...(message !== undefined && { error: message }) });
  turn.emit({ type: "turn_end", ...end });
  return end;
}

/** After a bug, calls may lack a result; providers reject such a conversation. */
function completeHistory(turn: TurnContext): void {
  const { messages } = turn.conversation;
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const assistant = messages[last];
  if (assistant?.role !== "assistant") return;
  const answered = new Set(messages.slice(last).flatMap((message) => (message.role === "tool" ? [message.id] : [])));
  for (const part of assistant.parts) {
    if (part.type !== "tool_call" || answered.has(part.id)) continue;
    turn.record({ type: "tool_result", id: part.id, name: part.name, json: cancelledJson, durationMs: 0 });
    messages.push({ role: "tool", id: part.id, name: part.name, json: cancelledJson });
  }
}

function notice(turn: TurnContext, text: string): void {
  turn.emit({ type: "notice", text });
}

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
