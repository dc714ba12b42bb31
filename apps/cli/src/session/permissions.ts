import { permissionModes, permissionModeTable } from "@ikigai/agent/permission-modes";
import { narrowColumns } from "../help/columns.ts";
import { slashCommand } from "../help/slash-command-table.ts";
import { sanitise, sanitiseLine } from "../render/sanitise.ts";
import type { SlashCommand } from "./slash-command.ts";

/** /permissions without the full screen: shows the mode and the rules, or changes the mode. */
export const permissions: SlashCommand = {
  ...slashCommand("permissions"),
  async run([wanted], { agent, screen }) {
    const { permission } = agent;
    const mode = permissionModes.find((name) => name === wanted);
    if (wanted !== undefined && mode === undefined) return screen.print(`${await unknownMode(wanted)}\n`);
    if (mode !== undefined) permission.mode = mode;
    const rules = mode === undefined ? permission.rules.map(({ verdict, rule }) => `  ${verdict} ${rule}\n`) : [];
    screen.print(`Mode: ${permissionModeTable[permission.mode].title}\n${sanitise(rules.join(""))}`);
  },
};

/** Says which modes there are, and which one a word probably means. */
export async function unknownMode(wanted: string): Promise<string> {
  const { nearestMode } = await import("../help/other-mode-words.ts");
  const meant = nearestMode(wanted);
  const advice = meant === undefined ? "" : ` Did you mean /permissions ${meant}?`;
  const modes = permissionModes.map((mode) => [mode, permissionModeTable[mode].about] as const);
  return `No mode ${JSON.stringify(sanitiseLine(wanted))}.${advice} The modes, for calls that no rule covers:\n${narrowColumns(modes).trimEnd()}`;
}
