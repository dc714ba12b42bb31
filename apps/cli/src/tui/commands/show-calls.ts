import { slashCommand } from "../../help/slash-command-table.ts";
import { openViewer } from "../app/open-dialog.ts";
import type { Tui, TuiCommand } from "../app/tui.ts";
import { renderRecord } from "../components/call-record.ts";
import { showRunningAgent } from "./agents.ts";

/** Shows all calls in full, scrolled to the last one. */
function showCalls(tui: Tui): void {
  const { records, session } = tui;
  if (records.length === 0) {
    tui.showHint("No tool calls yet.");
    return;
  }
  const { style, signs } = session.screen;
  openViewer(tui, {
    title: `${records.length} call${records.length === 1 ? "" : "s"}`,
    render: (columns) => records.flatMap((record) => renderRecord(record, { style, signs, columns })),
    isAtEnd: true,
  });
}

/** Shows the log of a running agent, else all calls in full. */
export function showWork(tui: Tui): void {
  if (!showRunningAgent(tui)) showCalls(tui);
}

export const calls: TuiCommand = {
  ...slashCommand("calls"),
  isQuick: true,
  run: (_, tui) => showCalls(tui),
};
