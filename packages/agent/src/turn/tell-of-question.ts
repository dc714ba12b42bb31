import type { HookScene } from "../hooks/hook-input.ts";
import { sceneOf } from "./scene-of.ts";
import type { CallContext } from "./turn-context.ts";

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
