// /permissions: the mode and the rules. In reading order: the list, the mode, a rule that is added or changed, where it is saved.

import { configPath, rulesDirectory } from "@ikigai/agent/internal";
import { permissionModes, permissionModeTable } from "@ikigai/agent/permission-modes";
import { expectedMessage } from "@ikigai/models";
import {
  insertRule,
  type PermissionRule,
  type RulePlace,
  ruleProblem,
  stricterRule,
  type Verdict,
} from "@ikigai/permission";
import { sanitiseLine, sanitiseStrictly } from "@ikigai/screen";
import { shortPath } from "../../render/short-forms.ts";
import {
  type ListedRule,
  listRules,
  modeCalled,
  placeMark,
  unknownMode,
} from "../../session/commands/state-commands.ts";
import { type AskLineOptions, askLine, pick } from "../app/open-dialog.ts";
import { type ScreenHandler, say, type Tui } from "../app/tui.ts";

type Entry =
  | { readonly type: "mode" }
  | { readonly type: "add"; readonly verdict: Verdict }
  | { readonly type: "rule"; readonly listed: ListedRule };

export const permissions: ScreenHandler = {
  complete: () => permissionModes,
  async run(wanted, tui) {
    const mode = modeCalled(wanted);
    if (mode !== undefined) {
      tui.session.agent.permission.mode = mode;
      tui.dialog?.modeChanged?.();
      return say(tui, `Mode: ${permissionModeTable[mode].title}`);
    }
    if (wanted !== "") return say(tui, await unknownMode(wanted));
    for (;;) {
      const entry = await pickEntry(tui);
      if (entry === undefined) return;
      if (entry.type === "mode") await chooseMode(tui);
      if (entry.type === "add") await askForRule(tui, entry.verdict, "everywhere");
      if (entry.type === "rule") await changeRule(tui, entry.listed);
    }
  },
};

function pickEntry(tui: Tui): Promise<Entry | undefined> {
  const { permission, places } = tui.session.agent;
  const rules = listRules(permission, places).map((listed) => {
    const remark = placeMark(listed);
    return {
      value: { type: "rule", listed } as Entry,
      label: `${listed.rule.verdict} ${sanitiseStrictly(sanitiseLine(listed.rule.rule))}`,
      ...(remark !== undefined && { remark }),
    };
  });
  const remark = `saved in ${shortPath(configPath(places.home), places)}`;
  const choices = [
    {
      value: { type: "mode" } as Entry,
      label: `mode: ${permissionModeTable[permission.mode].title}`,
      remark: permission.mode === "plan" ? "whatever the rules allow" : "unless a rule decides",
    },
    ...rules,
    { value: { type: "add", verdict: "allow" } as Entry, label: "add an allow rule", remark },
    { value: { type: "add", verdict: "ask" } as Entry, label: "add an ask rule", remark },
    { value: { type: "add", verdict: "deny" } as Entry, label: "add a deny rule", remark },
  ];
  return pick(tui, {
    title: "Permissions",
    choices,
    keys: "the first matching rule applies; enter edits, esc closes",
  });
}

async function chooseMode(tui: Tui): Promise<void> {
  const { permission } = tui.session.agent;
  const choices = permissionModes.map((mode) => ({ value: mode, label: permissionModeTable[mode].title }));
  permission.mode =
    (await pick(tui, { title: "Mode", choices, selected: permissionModes.indexOf(permission.mode) })) ??
    permission.mode;
}

/** Asks for a rule and adds it. A changed rule stays in its place. */
async function askForRule(tui: Tui, verdict: Verdict, where: RulePlace | undefined, initial = ""): Promise<boolean> {
  const rule = await askRule(tui, `Rule (${verdict}), for example bash(npm test*): `, { initial });
  if (rule === undefined || rule === initial) return false;
  const added = { verdict, rule };
  await addRule(tui, added, where);
  const above = stricterRule(tui.session.agent.permission, added);
  if (above) {
    const text = `Added below \`${above.verdict} ${above.rule}\`, which still ${above.verdict === "ask" ? "asks" : "denies"}.`;
    say(tui, sanitiseLine(text));
  }
  return true;
}

async function changeRule(tui: Tui, { rule, where }: ListedRule): Promise<void> {
  const { permission, places } = tui.session.agent;
  const choices = [
    { value: "edit", label: "edit it" },
    { value: "remove", label: "remove it" },
  ] as const;
  const what = await pick<"remove" | "edit">(tui, { title: `${rule.verdict} ${sanitiseLine(rule.rule)}`, choices });
  if (what === undefined) return;
  if (what === "edit" && !(await askForRule(tui, rule.verdict, where, rule.rule))) return;
  const index = permission.rules.indexOf(rule);
  if (index >= 0) permission.rules.splice(index, 1);
  if (where === undefined) return;
  const directory = rulesDirectory(places, where);
  await keeping(tui, async () => (await import("@ikigai/agent/setup")).removeRule(directory, rule));
}

/**
 * Asks for a rule until it is valid; keeps the text of one that is not, and says why. One that looks like a slip must be entered
 * twice. Undefined if the user cancels.
 */
async function askRule(tui: Tui, question: string, options: AskLineOptions): Promise<string | undefined> {
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
  const { ruleWarnings } = await import("../../render/tool/rule-warnings.ts");
  const registry = await tui.session.agent.toolbox.current();
  return ruleWarnings([{ label: "The rule", rule }], registry, "/tool lists the tools.");
}

/** Adds a rule to this session's, where it cancels no deny rule; saves it in a place, if any, and says so. */
async function addRule(tui: Tui, rule: PermissionRule, where: RulePlace | undefined): Promise<void> {
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
async function keeping(tui: Tui, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    say(tui, tui.theme.style.yellow(`Applies to this session only: ${sanitiseLine(expectedMessage(error))}`));
  }
}
