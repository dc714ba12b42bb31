import type { HookScene } from "./hook-scene.ts";
import { contextOf, runAll } from "./run-hooks.ts";

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
