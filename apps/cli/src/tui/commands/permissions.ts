import { type PermissionRule, parseRule, type Verdict } from "@ikigai/agent/internal";
import { permissionModes, permissionModeTable } from "@ikigai/agent/permission-modes";
import { slashCommand } from "../../help/slash-command-table.ts";
import { sanitiseLine, sanitiseStrictly } from "../../render/sanitise.ts";
import { unknownMode } from "../../session/permissions.ts";
import { addRule, keeping } from "../app/ask-permission.ts";
import { askLine, pick } from "../app/open-dialog.ts";
import { say, type Tui, type TuiCommand } from "../app/tui.ts";

type Entry =
  | { readonly type: "mode" }
  | { readonly type: "add"; readonly verdict: Verdict }
  | { readonly type: "rule"; readonly rule: PermissionRule };

export const permissions: TuiCommand = {
  ...slashCommand("permissions"),
  isQuick: true,
  complete: () => permissionModes,
  async run(wanted, tui) {
    const mode = permissionModes.find((name) => name === wanted);
    if (mode !== undefined) {
      tui.session.agent.permission.mode = mode;
      return say(tui, `Mode: ${permissionModeTable[mode].title}`);
    }
    if (wanted !== "") return say(tui, await unknownMode(wanted));
    for (;;) {
      const entry = await pickEntry(tui);
      if (entry === undefined) return;
      if (entry.type === "mode") await chooseMode(tui);
      if (entry.type === "add") await askForRule(tui, entry.verdict);
      if (entry.type === "rule") await changeRule(tui, entry.rule);
    }
  },
};

function pickEntry(tui: Tui): Promise<Entry | undefined> {
  const { permission } = tui.session.agent;
  const rules = permission.rules.map((rule) => ({
    value: { type: "rule", rule } as Entry,
    label: `${rule.verdict} ${sanitiseStrictly(sanitiseLine(rule.rule))}`,
  }));
  const choices = [
    {
      value: { type: "mode" } as Entry,
      label: `mode: ${permissionModeTable[permission.mode].title}`,
      remark: "unless a rule decides",
    },
    ...rules,
    { value: { type: "add", verdict: "allow" } as Entry, label: "add an allow rule" },
    { value: { type: "add", verdict: "ask" } as Entry, label: "add an ask rule" },
    { value: { type: "add", verdict: "deny" } as Entry, label: "add a deny rule" },
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

async function askForRule(tui: Tui, verdict: Verdict, initial = ""): Promise<boolean> {
  const text = await askLine(tui, `Rule (${verdict}), for example bash(npm test*): `, { initial });
  const rule = text?.trim() ?? "";
  if (rule === "") return false;
  if (!parseRule(rule)) {
    say(tui, `Expected TOOL or TOOL(PATTERN), got ${sanitiseLine(rule)}.`);
    return false;
  }
  await addRule(tui, { verdict, rule });
  return true;
}

async function changeRule(tui: Tui, rule: PermissionRule): Promise<void> {
  const { permission, places } = tui.session.agent;
  const choices = [
    { value: "remove", label: "remove it" },
    { value: "edit", label: "edit it" },
  ] as const;
  const what = await pick<"remove" | "edit">(tui, { title: `${rule.verdict} ${sanitiseLine(rule.rule)}`, choices });
  if (what === undefined) return;
  if (what === "edit" && !(await askForRule(tui, rule.verdict, rule.rule))) return;
  // An edit has inserted the new rule before it.
  const index = permission.rules.lastIndexOf(rule);
  if (index >= 0) permission.rules.splice(index, 1);
  await keeping(tui, async () => (await import("@ikigai/agent/setup")).removeRule(places.home, rule));
}
