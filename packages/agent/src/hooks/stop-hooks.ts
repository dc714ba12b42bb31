import { endOf } from "./before-call.ts";
import { type HookResult, hookWords } from "./run-hooks.ts";

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
