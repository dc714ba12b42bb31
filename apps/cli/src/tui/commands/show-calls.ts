import { slashCommand } from "../../help/slash-command-table.ts";
import { openViewer } from "../app/open-dialog.ts";
import type { Tui, TuiCommand } from "../app/tui.ts";
import { renderLive, renderRecord, type WorkRecord } from "../components/call-record.ts";
import { changePaint, loadRenderers } from "../components/renderers.ts";
import { showRunningAgent } from "./agents.ts";

/** A record as it was last drawn, and for what. */
interface Drawn {
  readonly columns: number;
  readonly paint: ReturnType<typeof changePaint>;
  readonly lines: readonly string[];
}

/** Shows all calls and thoughts in full, scrolled to the last one, and follows those that run. */
function showCalls(tui: Tui): void {
  const { signs } = tui.session.screen;
  if (tui.records.length === 0 && tui.transcript.live().length === 0) {
    tui.showHint("No tool calls yet.");
    return;
  }
  const lookFor = (columns: number) => ({ style: tui.theme.style, signs, columns, paint: changePaint(tui.theme) });
  const rendered = new WeakMap<WorkRecord, Drawn>();
  const linesOf = (record: WorkRecord, columns: number) => {
    const look = lookFor(columns);
    const known = rendered.get(record);
    if (known?.columns === columns && known.paint === look.paint) return known.lines;
    const lines = renderRecord(record, look);
    rendered.set(record, { columns, paint: look.paint, lines });
    return lines;
  };
  openViewer(tui, {
    title: "Calls",
    partNames: "next call",
    parts: (columns) => [
      ...tui.records.map((record) => linesOf(record, columns)),
      ...tui.transcript.live().map((live) => renderLive(live, lookFor(columns))),
    ],
    isAtEnd: true,
    isLive: true,
  });
  // What colours changes may not be loaded yet.
  void loadRenderers().then(
    () => tui.redraw(),
    () => {},
  );
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
