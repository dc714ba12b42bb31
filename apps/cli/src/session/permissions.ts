import {
  type Permission,
  type PermissionMode,
  type PermissionRule,
  type Places,
  type RulePlace,
  readConfig,
  rulesDirectory,
} from "@ikigai/agent/internal";
import { permissionModes, permissionModeTable } from "@ikigai/agent/permission-modes";
import { narrowColumns } from "../help/columns.ts";
import { slashCommand } from "../help/slash-command-table.ts";
import { sanitise, sanitiseLine } from "../render/sanitise.ts";
import type { SlashCommand } from "./slash-command.ts";

/** /permissions without the full screen: shows the mode and the rules, or changes the mode. */
export const permissions: SlashCommand = {
  ...slashCommand("permissions"),
  async run(words, { agent, screen }) {
    const { permission, places } = agent;
    const wanted = words.join(" ");
    const mode = modeCalled(wanted);
    if (wanted !== "" && mode === undefined) return screen.print(`${await unknownMode(wanted)}\n`);
    if (mode !== undefined) permission.mode = mode;
    const listed = mode === undefined ? listRules(permission, places) : [];
    const rules = listed.map((one) => {
      const mark = placeMark(one);
      return `  ${one.rule.verdict} ${one.rule.rule}${mark === undefined ? "" : ` ${mark}`}\n`;
    });
    screen.print(`Mode: ${permissionModeTable[permission.mode].title}\n${sanitise(rules.join(""))}`);
  },
};

/** The mode of this name, or with this title: `edits`, `allow edits`. */
export function modeCalled(wanted: string): PermissionMode | undefined {
  return permissionModes.find((mode) => mode === wanted || permissionModeTable[mode].title === wanted);
}

/** What follows a rule, by where it is saved; `undefined` for all projects. */
export function placeMark({ where }: ListedRule): string | undefined {
  if (where === "everywhere") return undefined;
  return where === "project" ? "(this project)" : "(this session)";
}

/** A rule of this session, and where the user has saved it. */
export interface ListedRule {
  readonly rule: PermissionRule;
  readonly where: RulePlace | undefined;
}

/** Returns the rules in the order in which they apply. */
export function listRules({ rules }: Pick<Permission, "rules">, places: Places): readonly ListedRule[] {
  const saved = (["project", "everywhere"] as const).flatMap((where) => {
    const { config } = readConfig(rulesDirectory(places, where));
    return (config.permission?.rules ?? []).map((rule) => ({ rule, where }));
  });
  // From the last on: an equal rule of the command line is above those that are saved.
  const listed = rules.toReversed().map((rule) => {
    const index = saved.findLastIndex(({ rule: one }) => one.verdict === rule.verdict && one.rule === rule.rule);
    const [found] = index >= 0 ? saved.splice(index, 1) : [];
    return { rule, where: found?.where };
  });
  return listed.reverse();
}

/** Says which modes there are, and which one a word probably means. */
export async function unknownMode(wanted: string): Promise<string> {
  const { nearestMode } = await import("../help/other-agents.ts");
  const meant = nearestMode(wanted);
  const advice = meant === undefined ? "" : ` Did you mean /permissions ${meant}?`;
  const modes = permissionModes.map((mode) => [mode, permissionModeTable[mode].about] as const);
  return `No mode ${JSON.stringify(sanitiseLine(wanted))}.${advice} The modes, for calls that no rule covers:\n${narrowColumns(modes).trimEnd()}`;
}
