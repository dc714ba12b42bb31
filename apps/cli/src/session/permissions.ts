import { type Permission, type PermissionMode, type PermissionRule, readConfig } from "@ikigai/agent/internal";
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
    const listed = mode === undefined ? listRules(permission, places.home) : [];
    const rules = listed.map(({ rule: { verdict, rule }, isSaved }) => {
      return `  ${verdict} ${rule}${isSaved ? "" : ` ${sessionMark}`}\n`;
    });
    screen.print(`Mode: ${permissionModeTable[permission.mode].title}\n${sanitise(rules.join(""))}`);
  },
};

/** The mode of this name, or with this title: `edits`, `allow edits`. */
export function modeCalled(wanted: string): PermissionMode | undefined {
  return permissionModes.find((mode) => mode === wanted || permissionModeTable[mode].title === wanted);
}

/** Follows a rule that is not in the configuration. */
export const sessionMark = "(this session)";

/** A rule of this session, and whether the user's configuration has it too. */
export interface ListedRule {
  readonly rule: PermissionRule;
  readonly isSaved: boolean;
}

/** Returns the rules in the order in which they apply. */
export function listRules({ rules }: Pick<Permission, "rules">, home: string): readonly ListedRule[] {
  const saved = [...(readConfig(home).config.permission?.rules ?? [])];
  // From the last on: an equal rule of the command line is above that of the configuration.
  const listed = rules.toReversed().map((rule) => {
    const index = saved.findLastIndex((one) => one.verdict === rule.verdict && one.rule === rule.rule);
    if (index >= 0) saved.splice(index, 1);
    return { rule, isSaved: index >= 0 };
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
