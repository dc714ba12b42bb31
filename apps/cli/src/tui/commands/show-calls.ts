import { slashCommand } from "../../help/slash-command-table.ts";
import { openViewer } from "../app/open-dialog.ts";
import type { Tui, TuiCommand } from "../app/tui.ts";
import { renderLive, renderRecord, type WorkRecord } from "../components/call-record.ts";
import { showRunningAgent } from "./agents.ts";

/** Shows all calls and thoughts in full, scrolled to the last one, and follows those that run. */
function showCalls(tui: Tui): void {
  const { signs } = tui.session.screen;
  if (tui.records.length === 0 && tui.transcript.live().length === 0) {
    tui.showHint("No tool calls yet.");
    return;
  }
  const rendered = new WeakMap<WorkRecord, { readonly columns: number; readonly lines: readonly string[] }>();
  const linesOf = (record: WorkRecord, columns: number) => {
    const known = rendered.get(record);
    if (known?.columns === columns) return known.lines;
    const lines = renderRecord(record, { style: tui.theme.style, signs, columns });
    rendered.set(record, { columns, lines });
    return lines;
  };
  openViewer(tui, {
    title: "tab, shift-tab: other calls",
    parts: (columns) => [
      ...tui.records.map((record) => linesOf(record, columns)),
      ...tui.transcript.live().map((live) => renderLive(live, { style: tui.theme.style, signs, columns })),
    ],
    isAtEnd: true,
    isLive: true,
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
