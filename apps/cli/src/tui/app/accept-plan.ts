import { pick } from "../components/pick.ts";
import type { Tui } from "./tui.ts";

/** What becomes of a plan. */
const choices = [
  { value: "edits", label: "Carry it out, and edit files without asking" },
  { value: "ask", label: "Carry it out, and ask before each change" },
  { value: "plan", label: "Go on planning" },
] as const;

/** Asks what is to be done with the plan that the model has made. */
export async function acceptPlan(tui: Tui): Promise<void> {
  const { permission } = tui.session.agent;
  if (tui.scheduler.waiting().length > 0) return;
  const chosen = await pick(tui, { title: "Is that the plan?", choices });
  if (chosen === undefined || chosen === "plan") return;
  permission.mode = chosen;
  tui.scheduler.push({ text: "Carry out the plan.", when: "end" });
}
