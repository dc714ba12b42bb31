import { expectedMessage, type PermissionRule, saveRule } from "@ikigai/agent/internal";
import { sanitiseLine } from "../../render/sanitise.ts";
import { say } from "./say.ts";
import type { Tui } from "./tui.ts";

/** Lets a rule hold from now on, before all others, and keeps it. */
export function addRule(tui: Tui, rule: PermissionRule): void {
  const { permission, places } = tui.session.agent;
  permission.rules.unshift(rule);
  keeping(tui, () => saveRule(places.home, rule));
}

/** Writes a change down; without that it holds for this session. */
export function keeping(tui: Tui, write: () => void): void {
  try {
    write();
  } catch (error) {
    say(tui, tui.theme.style.yellow(`This holds for this session only: ${sanitiseLine(expectedMessage(error))}`));
  }
}
