import type { HostApi, RegisteredTool } from "@ikigai/core";
import { type ShownVisual, toKept } from "../model/shown-visual.ts";
import { type CallPlace, placesOf } from "./answer-places.ts";
import type { CallContext } from "./turn-context.ts";

/** A call during which its tool may show something. */
export interface ShowingCall {
  readonly id: string;
  readonly tool: RegisteredTool;
  /** Where it runs. */
  readonly place: CallPlace;
  /** What the tool has shown so far. */
  readonly shown: ShownVisual[];
}

/** Returns what draws for the user at once, during a call. The log has it before it is drawn. */
export function showFor(
  { emit, record, secrets }: CallContext,
  { id, tool, place, shown }: ShowingCall,
): NonNullable<HostApi["show"]> {
  return async ({ visual: wanted }) => {
    const { shownVisual } = await import("./answer-visuals.ts");
    const visual = shownVisual(wanted, placesOf(tool, place, { withTemporary: true }), secrets);
    if (visual.type === "refused") return { shown: false, reason: visual.reason };
    record({ type: "shown", id, visuals: [toKept(visual)] });
    shown.push(visual);
    emit({ type: "shown", id, visual });
    return { shown: true };
  };
}
