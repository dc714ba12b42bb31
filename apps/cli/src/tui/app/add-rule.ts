import {
  expectedMessage,
  insertRule,
  type PermissionRule,
  type RulePlace,
  ruleProblem,
  rulesDirectory,
} from "@ikigai/agent/internal";
import { sanitiseLine } from "../../render/sanitise.ts";
import { type AskLineOptions, askLine } from "./open-dialog.ts";
import { say, type Tui } from "./tui.ts";

/**
 * Asks for a rule until it is valid; keeps the text of one that is not, and says why. One that looks like a slip must be entered
 * twice. Undefined if the user cancels.
 */
export async function askRule(tui: Tui, question: string, options: AskLineOptions): Promise<string | undefined> {
  let { hint, initial } = options;
  let warned: string | undefined;
  for (;;) {
    const text = await askLine(tui, question, { ...options, ...(hint && { hint }), ...(initial && { initial }) });
    const rule = text?.trim() ?? "";
    if (rule === "") return undefined;
    const problem = ruleProblem(rule);
    if (rule === warned) return rule;
    const warnings = problem === undefined ? await warningsAbout(rule, tui) : [];
    if (problem === undefined && warnings.length === 0) return rule;
    hint = problem ? sanitiseLine(problem.message) : `${warnings.join(" ")} Enter adds it anyway, esc goes back.`;
    warned = problem ? undefined : rule;
    initial = rule;
  }
}

async function warningsAbout(rule: string, tui: Tui): Promise<readonly string[]> {
  const { ruleWarnings } = await import("../../render/rule-warnings.ts");
  const registry = await tui.session.agent.toolbox.current();
  return ruleWarnings([{ label: "The rule", rule }], registry, "/tool lists the tools.");
}

/** Adds a rule to this session's, where it cancels no deny rule; saves it in a place, if any, and says so. */
export async function addRule(tui: Tui, rule: PermissionRule, where: RulePlace | undefined): Promise<void> {
  const { permission, places } = tui.session.agent;
  insertRule(permission, rule);
  if (where !== undefined)
    await keeping(tui, async () => {
      const { savedRuleText, saveRule } = await import("@ikigai/agent/setup");
      saveRule(rulesDirectory(places, where), rule);
      say(tui, sanitiseLine(savedRuleText(rule, where)));
    });
}

/** Saves a change; if that fails, it applies to this session only. */
export async function keeping(tui: Tui, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    say(tui, tui.theme.style.yellow(`Applies to this session only: ${sanitiseLine(expectedMessage(error))}`));
  }
}
