import { userMessage } from "@ikigai/models";
import { escapeOf, showOnLine } from "@ikigai/system";
import { type HookScene, runAll } from "../hooks/run-hooks.ts";
import { promptHooks, sessionStarts, stopWish } from "../hooks/session-hooks.ts";
import type { TurnContext } from "./turn-context.ts";

/** How often hooks may have a turn continued. A hook that always asks for it must not run all night. */
export const maxContinuations = 3;

const sending = {
  question: "Send the message anyway?",
  yes: "Send it",
  no: "Do not send it",
  asker: "A hook",
} as const;

/** What hooks add to a message, if anything; or why it must not be sent. */
export type Admission = { readonly context?: string } | { readonly refusal: string };

/** Runs the hooks for a message, and before them those for the start of the session. */
export async function admit(turn: TurnContext, scene: HookScene, text: string): Promise<Admission> {
  const start = await sessionStarts(scene);
  const { confirm, signal } = turn;
  const hooked = await promptHooks(scene, text, confirm && ((why) => confirm({ ...sending, why }, signal)));
  if ("refusal" in hooked) return hooked;
  const context = [...start, ...hooked.context];
  return context.length === 0 ? {} : { context: context.join("\n\n") };
}

/** Runs the hooks for the end of a turn. Returns whether the model must continue; it has then been told why. */
export async function goesOn(turn: TurnContext, scene: HookScene): Promise<boolean> {
  const fields = { stop_hook_active: turn.continuations > 0, last_assistant_message: turn.text };
  const results = await runAll(scene, "stop", fields);
  const { ends, continues } = stopWish(results);
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
  turn.record({ type: "user", text });
  turn.conversation.messages.push(userMessage(text));
  return true;
}
