import { printable } from "@ikigai/core/internal";
import { asSentence } from "../model/as-sentence.ts";
import { endOf } from "./before-call.ts";
import type { HookScene } from "./hook-scene.ts";
import { contextOf, type HookResult, hooksFor, runOne } from "./run-hooks.ts";

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
    const path = printable(hook.path);
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
