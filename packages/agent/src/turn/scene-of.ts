import type { HookScene } from "../hooks/hook-input.ts";
import type { CallContext } from "./turn-context.ts";

/** A turn as its hooks see it; `undefined` without hooks, and when recorded answers replace what would run. */
export function sceneOf(turn: CallContext): HookScene | undefined {
  const { hooks, recorded, conversation, permission, secrets, signal } = turn;
  if (!hooks || recorded || hooks.finder.isEmpty()) return undefined;
  return {
    ...{ hooks, conversation, permission, secrets, signal },
    record: (event) => turn.record(event),
    notice: (text) => turn.emit({ type: "notice", text }),
  };
}
