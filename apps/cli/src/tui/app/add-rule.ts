import { expectedMessage, insertRule, type PermissionRule, ruleProblem } from "@ikigai/agent/internal";
import { sanitiseLine } from "../../render/sanitise.ts";
import { shortPath } from "../../render/short-path.ts";
import { type AskLineOptions, askLine } from "./open-dialog.ts";
import { say, type Tui } from "./tui.ts";

/** Asks for a rule until it is valid; keeps the text of one that is not, and says why. Undefined if the user cancels. */
export async function askRule(tui: Tui, question: string, options: AskLineOptions): Promise<string | undefined> {
  let { hint, initial } = options;
  for (;;) {
    const text = await askLine(tui, question, { ...options, ...(hint && { hint }), ...(initial && { initial }) });
    const rule = text?.trim() ?? "";
    if (rule === "") return undefined;
    const problem = ruleProblem(rule);
    if (problem === undefined) return rule;
    hint = sanitiseLine(problem.message);
    initial = rule;
  }
}

/** Adds a rule to this session's, where it cancels no deny rule, saves it, says where, and warns if it looks like a slip. */
export async function addRule(tui: Tui, rule: PermissionRule, { isSaved = true } = {}): Promise<void> {
  const { permission, places, toolbox } = tui.session.agent;
  insertRule(permission, rule);
  if (isSaved)
    await keeping(tui, async () => {
      const { savedRuleText, saveRule } = await import("@ikigai/agent/setup");
      say(tui, sanitiseLine(savedRuleText(rule, shortPath(saveRule(places.home, rule), places))));
    });
  const { ruleWarnings } = await import("../../render/rule-warnings.ts");
  const warnings = ruleWarnings([rule.rule], await toolbox.current(), rule.verdict);
  for (const warning of warnings) say(tui, tui.theme.style.yellow(warning));
}

/** Saves a change; if that fails, it applies to this session only. */
export async function keeping(tui: Tui, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    say(tui, tui.theme.style.yellow(`Applies to this session only: ${sanitiseLine(expectedMessage(error))}`));
  }
}
