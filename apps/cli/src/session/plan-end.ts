// What follows a plan that the model has finished: on the full screen, in lines and in an editor, the user is asked whether to carry it out.

import type { TurnEnd } from "@ikigai/agent";
import { endsPlan } from "@ikigai/agent/internal";
import type { Agent } from "../host/conversation/agent-from-flags.ts";

export const planTitle = "Carry out this plan?";

/** The message to the model after a yes. */
export const carryOut = "Carry out the plan.";

/** An answer by which the work begins: `y` with a question before each change, `a` without. */
export type PlanYes = "y" | "a";

/** Whether a turn has ended with a finished plan. */
export function isPlan({ reason, text }: TurnEnd, { permission }: Agent): boolean {
  return reason === "done" && permission.mode === "plan" && endsPlan(text);
}

export function planYes({ sandbox }: Agent): Readonly<Record<PlanYes, string>> {
  return {
    y: "yes, and ask before each change",
    a: sandbox.isThere ? "yes, in the sandbox (auto)" : "yes, and allow edits in the project",
  };
}

export const keepPlanning = "no, keep planning";

/** Leaves plan mode for the mode that an answer names. */
export function leavePlan({ permission, sandbox }: Agent, letter: PlanYes): void {
  const fast = sandbox.isThere ? "auto" : "edits";
  permission.mode = letter === "a" ? fast : "ask";
}
