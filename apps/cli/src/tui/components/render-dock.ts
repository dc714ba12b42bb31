import { duration } from "../../render/duration.ts";
import { sanitise, sanitiseLine } from "../../render/sanitise.ts";
import type { Tui } from "../app/tui.ts";
import type { Frame } from "../pi-tui/editor.ts";
import { cutStyled } from "../pi-tui/text.ts";
import { renderFooter } from "./footer.ts";

const spinner = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"];

/** How fast the spinner turns, in milliseconds. */
export const spinMs = 160;

/** What stands at the bottom: what goes on, what waits, the editor or a question, and the footer. */
export function renderDock(tui: Tui, columns: number, rows: number): Frame {
  const above = ["", ...workLines(tui), ...queueLines(tui, columns), ...hintLines(tui)];
  const { lines, cursor } = tui.dialog
    ? betweenRules(tui.dialog.render(columns, rows - above.length - 3), columns, tui)
    : tui.editor.render(columns);
  return {
    lines: [
      ...above.map((line) => cutStyled(line, columns, tui.session.screen.signs.cut)),
      ...lines,
      renderFooter(tui, columns),
    ],
    ...(cursor && { cursor: { row: cursor.row + above.length, column: cursor.column } }),
  };
}

/** A question stands where the editor does, and looks like it. */
function betweenRules({ lines, cursor }: Frame, columns: number, { theme }: Tui): Frame {
  const rule = theme.style.dim("─".repeat(columns));
  return { lines: [rule, ...lines, rule], ...(cursor && { cursor: { row: cursor.row + 1, column: cursor.column } }) };
}

function workLines({ work, theme, session, dialog }: Tui): string[] {
  if (!work || dialog) return [];
  const { dot } = session.screen.signs;
  const nowMs = performance.now();
  const elapsedMs = nowMs - work.startedMs;
  const sign = spinner[Math.floor(elapsedMs / spinMs) % spinner.length] ?? "";
  const { retry, hasCalls = false } = work;
  const next = retry && `next try in ${inSeconds(retry.atMs - nowMs)} ${dot} ${retry.count} of ${retry.most}`;
  // A call that runs has a clock of its own, which is never quite the same.
  const remarks = [next ?? (hasCalls ? undefined : inSeconds(elapsedMs)), "esc stops"].filter(Boolean);
  const what = retry ? theme.style.yellow(sanitiseLine(retry.why)) : work.activity;
  return [
    `${theme.style.cyan(sign)} ${what} ${theme.style.dim(remarks.map((remark) => `${dot} ${remark}`).join(" "))}`,
  ];
}

function inSeconds(ms: number): string {
  return duration(Math.max(1, Math.floor(ms / 1000)) * 1000).replace(".0", "");
}

function queueLines({ scheduler, theme, session }: Tui, columns: number): string[] {
  const { cut, prompt } = session.screen.signs;
  return scheduler.waiting().map(({ text, when }) => {
    const first = sanitise(text.split("\n")[0] ?? "");
    const isMore = text.includes("\n") ? ` ${cut}` : "";
    const remark = theme.style.dim(when === "step" ? "  next step" : "  after the answer");
    return `${theme.style.dim(prompt)} ${cutStyled(first, Math.max(8, columns - 30), cut)}${isMore}${remark}`;
  });
}

function hintLines({ hint, theme, scheduler }: Tui): string[] {
  const takeBack = scheduler.waiting().length > 0 ? [theme.style.dim("  up takes the last one back")] : [];
  return [...takeBack, ...(hint === undefined ? [] : [theme.style.dim(hint)])];
}
