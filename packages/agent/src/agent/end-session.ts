import type { HookScene } from "../hooks/hook-input.ts";
import type { SessionEndReason } from "../hooks/session-hooks.ts";

/**
 * Runs the hooks for the end of the current conversation, if it had a message in this process. Call it before the log is closed
 * or another conversation begins. Never rejects.
 *
 * @param notice tells the user something, one sentence. Default: the next conversation does.
 */
export async function endSession(
  { hooks, conversation, permission, secrets }: Pick<HookScene, "hooks" | "conversation" | "permission" | "secrets">,
  reason: SessionEndReason,
  notice = (text: string): void => void hooks.untold.push(text),
): Promise<void> {
  await hooks.leaving;
  for (const text of hooks.untold.splice(0)) notice(text);
  if (hooks.sessions.get(conversation.id) !== "open") return;
  const { sessionEnds } = await import("../hooks/session-hooks.ts");
  const record = conversation.log.append.bind(conversation.log);
  await sessionEnds({ hooks, conversation, permission, secrets, record, notice }, reason);
}
