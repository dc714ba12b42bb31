import { asSentence } from "@ikigai/models";
import { escapeOf, showOnLine } from "@ikigai/system";
import { endOf } from "./before-call.ts";
import { contextOf, type HookResult, type HookScene, hooksFor, hookWords, runAll, runOne } from "./run-hooks.ts";

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

/** What all answers together mean: one that ends the turn counts more than those that continue it. */
export function stopWish(results: readonly HookResult[]): StopWish {
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
