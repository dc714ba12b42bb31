// What the hooks of each event do. In order: before and after a call, at the start and the end of a session, at the end of a turn,
// for a message, and before a summary. Loaded with the first call, or if there are hooks.

import type { Outcome, RegisteredTool } from "@ikigai/core";
import type { Hook } from "@ikigai/core/hooks";
import { type CallArguments, withField } from "@ikigai/core/internal";
import { asSentence } from "@ikigai/models";
import { decide, type HookVerdict } from "@ikigai/permission";
import type { Envelope, JsonObject } from "@ikigai/protocol";
import { escapeOf, showOnLine } from "@ikigai/system";
import {
  contextOf,
  type EventFields,
  type HookAnswer,
  type HookCall,
  type HookResult,
  type HookScene,
  hooksFor,
  hookWords,
  runAll,
  runOne,
} from "./run-hooks.ts";

/** A call after its hooks. */
export interface HookedCall {
  /** The arguments in the question, the run, the log and the undo. */
  readonly args: CallArguments;
  /** Whether a hook or the user has changed them. */
  readonly isChanged?: boolean;
  /** Whether the user has written them. */
  readonly isUsers?: boolean;
  /** For the decision about the call. */
  readonly verdicts: readonly HookVerdict[];
  /** For the model, with the result. */
  readonly context: readonly string[];
  /** Why the turn must end after this step. */
  readonly ends?: string;
}

/**
 * Runs the hooks before a call, one after the other: each gets the arguments as the one before left them. The first refusal
 * ends it. No hook is run for a call that is denied whatever it says.
 */
export async function beforeCall(
  scene: HookScene,
  hooks: readonly Hook[],
  { id, tool, args: given }: { readonly id: string; readonly tool: RegisteredTool; readonly args: CallArguments },
): Promise<HookedCall> {
  const verdicts: HookVerdict[] = [];
  const results: HookResult[] = [];
  let args = given;
  let ends: string | undefined;
  for (const hook of hooks) {
    const pending = { id, name: tool.name, arguments: args.text, value: args.value };
    const { verdict, isFinal } = decide(pending, tool, scene.permission, verdicts);
    if (isFinal) break;
    const answer = await runOne(scene, hook, {}, { id, tool, args: args.value, verdict });
    results.push({ hook, answer });
    args = changed(args, answer);
    const said = verdictOf(hook.path, answer);
    if (said) verdicts.push(said);
    if (answer.ends !== undefined) ends ??= endOf(hook.path, answer.ends);
  }
  return {
    args,
    isChanged: args !== given,
    verdicts,
    context: contextOf(results),
    ...(ends !== undefined && { ends }),
  };
}

/** The sentence about a turn that a hook has ended. */
export function endOf(path: string, reason: string): string {
  return asSentence(`The hook ${showOnLine(path, escapeOf)} ended the turn${reason === "" ? "" : `: ${reason}`}`);
}

function changed(args: CallArguments, { arguments: value }: HookAnswer): CallArguments {
  if (!value) return args;
  const text = JSON.stringify(value);
  return text === JSON.stringify(args.value) ? args : { text, value };
}

/** What a hook says about a call. One that is broken asks. */
function verdictOf(file: string, { problem, decision, reason = "", ends }: HookAnswer): HookVerdict | undefined {
  const path = showOnLine(file, escapeOf);
  if (problem !== undefined) return { verdict: "ask", reason: `the hook ${path} is broken: ${problem}` };
  if (ends !== undefined) return { verdict: "deny", reason: `the hook ${path} ended the turn${because(ends)}` };
  if (!decision) return undefined;
  const verbs = { allow: "allows it", ask: "asks about it", deny: "denies it" } as const;
  return { verdict: decision, reason: `the hook ${path} ${verbs[decision]}${because(reason)}` };
}

function because(reason: string): string {
  return reason === "" ? "" : `: ${reason}`;
}

/** What the hooks after a call say. */
export interface AfterCall {
  /** For the model, with the result. */
  readonly context: readonly string[];
  /** Why the turn must end after this step. */
  readonly ends?: string;
}

/** Runs the hooks after a call that ran. */
export async function afterCall(scene: HookScene, call: HookCall, outcome: Outcome): Promise<AfterCall> {
  const { envelope, durationMs } = outcome;
  const fields = { tool_response: responseOf(envelope), duration_ms: Math.round(durationMs) };
  const results = await runAll(scene, "after-call", fields, call);
  const ending = results.find(({ answer }) => answer.ends !== undefined);
  return {
    context: contextOf(results),
    ...(ending && { ends: endOf(ending.hook.path, ending.answer.ends ?? "") }),
  };
}

function responseOf(envelope: Envelope): JsonObject {
  if (envelope.tool_success) return envelope.result;
  const { error, error_code, exit_code, stdout, stderr } = envelope;
  return { error, error_code, exit_code, stdout, stderr };
}

/** Adds what hooks say to a result, beside the tool's own text, which stays as it is. */
export function withContext<Result extends Outcome>(outcome: Result, context: readonly string[]): Result {
  return context.length === 0 ? outcome : withField(outcome, "hook_context", context.join("\n\n"));
}

/** Why a session ends, in Claude Code's words. */
export type SessionEndReason = "clear" | "prompt_input_exit" | "other";

/**
 * Runs the hooks for the start of a session, before its first message in this process.
 *
 * @returns what they say, for the model; empty for later messages.
 */
export async function sessionStarts(scene: HookScene): Promise<readonly string[]> {
  const { hooks, conversation } = scene;
  for (const text of hooks.untold.splice(0)) scene.notice(text);
  if (hooks.sessions.has(conversation.id)) return [];
  const source = conversation.messages.length > 0 ? "resume" : hooks.sessions.size > 0 ? "clear" : "startup";
  const isFirst = hooks.sessions.size === 0;
  hooks.sessions.set(conversation.id, "open");
  // A guard in the wrong directory guards nothing.
  if (isFirst) for (const problem of await hooks.finder.misplaced("trusted")) scene.notice(problem);
  return contextOf(await runAll(scene, "session-start", { source }));
}

/** Runs the hooks for the end of a session, once, if it had a message in this process. Never rejects. */
export async function sessionEnds(scene: HookScene, reason: SessionEndReason): Promise<void> {
  const { hooks, conversation } = scene;
  if (hooks.sessions.get(conversation.id) !== "open") return;
  hooks.sessions.set(conversation.id, "over");
  await runAll(scene, "session-end", { reason });
}

/** What the hooks at the end of a turn want. */
export interface StopWish {
  /** Why the turn ends, a sentence. */
  readonly ends?: string;
  /** What the model continues with, and the hook that was the first to ask for it. */
  readonly continues?: { readonly text: string; readonly path: string };
}

/** Runs the hooks for the end of a turn. An answer that ends the turn counts more than those that continue it. */
export async function stopHooks(scene: HookScene, fields: EventFields): Promise<StopWish> {
  const results = await runAll(scene, "stop", fields);
  const ending = results.find(({ answer }) => answer.ends !== undefined);
  if (ending) return { ends: endOf(ending.hook.path, ending.answer.ends ?? "") };
  const wanted = results.filter(({ answer }) => answer.goesOn);
  const [first] = wanted;
  if (!first) return {};
  const reasons = wanted.map(({ hook, answer }) => hookWords(hook, answer.reason ?? "Continue."));
  return { continues: { text: reasons.join("\n\n"), path: first.hook.path } };
}

/** A message after its hooks: what they add for the model, or why it must not be sent. */
export type HookedPrompt = { readonly context: readonly string[] } | { readonly refusal: string };

const notSent = "The message was not sent.";

/**
 * Runs the hooks for a message, one after the other. The first refusal ends it.
 *
 * @param confirm asks the user whether to send the message although a hook is broken. Absent: it is not sent.
 */
export async function promptHooks(
  scene: HookScene,
  prompt: string,
  confirm: ((why: string) => Promise<boolean | undefined>) | undefined,
): Promise<HookedPrompt> {
  const results: HookResult[] = [];
  for (const hook of await hooksFor(scene, "prompt")) {
    const answer = await runOne(scene, hook, { prompt });
    const { problem, decision, reason = "", ends } = answer;
    const path = showOnLine(hook.path, escapeOf);
    const because = reason === "" ? "" : `: ${reason}`;
    if (scene.signal?.aborted) return { refusal: notSent };
    if (ends !== undefined) return { refusal: endOf(hook.path, ends) };
    if (decision === "deny") return { refusal: asSentence(`The hook ${path} refused the message${because}`) };
    if (problem !== undefined || decision === "ask") {
      const why = problem === undefined ? `asks about the message${because}` : `is broken: ${problem}`;
      const text = asSentence(`The hook ${path} ${why}`);
      if (!confirm) return { refusal: `${text} ${notSent}` };
      // The question has given the reason.
      if (!(await confirm(text))) return { refusal: notSent };
    }
    results.push({ hook, answer });
  }
  return { context: contextOf(results) };
}

/** A summary after its hooks: what it must keep above all, empty for nothing in particular; or why it is prevented. */
export type HookedSummary = { readonly focus: string } | { readonly refusal: string };

/**
 * Runs the hooks before older messages are replaced by a summary. A broken one prevents nothing: without room, a conversation cannot continue.
 *
 * @param focus what the user wants to keep, may be empty.
 */
export async function compactHooks(
  scene: HookScene,
  trigger: "manual" | "auto",
  focus: string,
): Promise<HookedSummary> {
  const results = await runAll(scene, "before-compact", { trigger, custom_instructions: focus });
  const refused = results.find(({ answer }) => answer.decision === "deny" || answer.ends !== undefined);
  const said = results.flatMap(({ answer }) => answer.context ?? []);
  if (!refused) return { focus: [focus, ...said].filter(Boolean).join("\n") };
  const { hook, answer } = refused;
  const reason = answer.reason ?? answer.ends ?? "";
  const path = showOnLine(hook.path, escapeOf);
  return { refusal: asSentence(`The hook ${path} prevented the summary${reason === "" ? "" : `: ${reason}`}`) };
}
