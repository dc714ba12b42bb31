// What stays at the bottom: tasks, running work, the queue, the dialog or the editor with its keys, and the footer.

import { basename } from "node:path";
import type { PermissionMode } from "@ikigai/permission";
import {
  cutStyled,
  type Dialog,
  type Editor,
  type Frame,
  fromColumn,
  type Skin,
  type Style,
  sanitise,
  sanitiseLine,
  styledWidth,
} from "@ikigai/screen";
import { tokenCount } from "@ikigai/system";
import { renderTodos, type TodoItem } from "../../render/call/render-brief.ts";
import { duration } from "../../render/short-forms.ts";

/** The pending retry of a failed request. */
interface Retry {
  readonly why: string;
  /** The same in a few words, for a row on which it does not fit. */
  readonly brief: string;
  /** The server that answered. */
  readonly server?: string;
  /** When it is sent, by `performance.now()`. */
  readonly atMs: number;
  readonly count: number;
  readonly most: number;
}

/** Running work: an answer, or a command the user typed. */
export interface Work {
  readonly startedMs: number;
  /** When the model was last asked, by `performance.now()`, if not at the start: the clock leaves out calls and questions. */
  readonly askedMs?: number;
  /** Stops it. */
  readonly abort: () => void;
  /** The current activity, in a word or two. */
  readonly activity: string;
  /** Whether calls run, each of which shows its own duration. */
  readonly hasCalls?: boolean;
  /** Set while a failed request waits for its retry. */
  readonly retry?: Retry | undefined;
}

const spinner = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇"];

/** Interval between frames of the spinner, in milliseconds. */
export const spinMs = 160;

/** The same without a spinner: the seconds change. */
export const stillMs = 1_000;

/** The bottom of the screen: activity, queue, hint, the editor or a dialog, and the footer. */
interface Dock extends Skin {
  readonly work: Work | undefined;
  /** The tasks of the session, shown while one is open. */
  readonly todos: readonly TodoItem[];
  /** Queued messages, and when each is taken. */
  readonly queue: readonly { readonly text: string; readonly when: "step" | "end" }[];
  readonly hint: string | undefined;
  /** The dialog that has the focus. */
  readonly dialog: Dialog | undefined;
  /** Who waits for an answer while the editor has the focus. */
  readonly asker?: string | undefined;
  /** What the user has written, if a question covers the editor. */
  readonly draft: string | undefined;
  readonly editor: Pick<Editor, "render">;
  /** Shown below the editor. */
  readonly keys?: readonly KeyRow[] | undefined;
  /** What the user's status command printed, above the footer. */
  readonly status?: string | undefined;
  /** Whether nothing moves on its own but the seconds. */
  readonly isStill?: boolean;
  readonly footer: FooterFacts;
}

export function renderDock(dock: Dock, columns: number, rows: number): Frame {
  const { dialog, editor, signs } = dock;
  const above = [
    "",
    ...workLines(dock, columns),
    ...todoLines(dock, rows),
    ...queueLines(dock, columns),
    ...draftLines(dock, columns),
    ...hintLines(dock),
    ...askerLines(dock),
  ];
  const {
    lines,
    cursor,
    over = 0,
  } = dialog ? betweenRules(dialog.render(columns, rows - above.length - 3), columns, dock) : editor.render(columns);
  const keys =
    dock.keys && !dialog ? renderKeyOverlay(dock.keys, dock, columns, rows - above.length - lines.length - 1) : [];
  const below = [
    ...(dock.status ? [cutStyled(dock.theme.style.dim(dock.status), columns, signs.cut)] : []),
    renderFooter(dock.footer, dock, columns),
  ];
  return {
    lines: [...above.map((line) => cutStyled(line, columns, signs.cut)), ...lines, ...keys, ...below],
    over: dialog ? overOf(dock, above.length + lines.length + below.length, columns, rows) : over + keys.length,
    ...(cursor && { cursor: { row: cursor.row + above.length, column: cursor.column } }),
  };
}

/** How much higher than the editor the dialog is, if the user has opened it; what a question is about stays visible. */
function overOf({ dialog, ...dock }: Dock, height: number, columns: number, rows: number): number {
  if (!dialog || dialog.keepsAbove) return 0;
  const { lines, over = 0 } = renderDock({ ...dock, dialog: undefined, keys: undefined }, columns, rows);
  return Math.max(0, height - (lines.length - over));
}

/** Frames a dialog like the editor that it replaces. */
function betweenRules({ lines, cursor }: Frame, columns: number, { theme }: Skin): Frame {
  const rule = theme.style.dim("─".repeat(columns));
  return { lines: [rule, ...lines, rule], ...(cursor && { cursor: { row: cursor.row + 1, column: cursor.column } }) };
}

function workLines({ work, theme, signs, dialog, isStill = false }: Dock, columns: number): string[] {
  if (!work || dialog) return [];
  const { dot } = signs;
  const nowMs = performance.now();
  const elapsedMs = nowMs - work.startedMs;
  const sign = isStill ? signs.dot : (spinner[Math.floor(elapsedMs / spinMs) % spinner.length] ?? "");
  const { retry, hasCalls = false } = work;
  const [what, doing] = retry ? retryTexts(retry, columns, signs) : [work.activity, undefined];
  // A running call shows its own clock, which would differ slightly.
  const remarks = [
    doing ?? (hasCalls ? undefined : inSeconds(nowMs - (work.askedMs ?? work.startedMs))),
    "esc stops",
  ].filter(Boolean);
  const after = remarks.map((remark) => `${dot} ${remark}`).join(" ");
  return [`${theme.style.cyan(sign)} ${retry ? theme.style.yellow(what) : what} ${theme.style.dim(after)}`];
}

/** Less of the reason says nothing, in columns. */
const minReason = 16;

/**
 * Why a request failed, and when it is sent again. If the sentence does not fit, the kind of failure comes first, so that only the
 * address is cut, and the number of the retry is left out before it.
 */
function retryTexts(
  { why, brief, server = why, atMs, count, most }: Retry,
  columns: number,
  { dot, cut }: Skin["signs"],
) {
  const soon = `retrying in ${inSeconds(atMs - performance.now())}`;
  const counted = `${soon} ${dot} ${count} of ${most}`;
  // The sign before, and how to stop after it.
  const room = (doing: string) => columns - styledWidth(`*  ${dot} ${doing} ${dot} esc stops`);
  const sentence = sanitiseLine(why);
  if (styledWidth(sentence) <= room(counted)) return [sentence, counted] as const;
  const isBeside = room(counted) >= styledWidth(`${brief} ${dot} `) + minReason;
  if (isBeside) return [cutStyled(`${brief} ${dot} ${sanitiseLine(server)}`, room(counted), cut), counted] as const;
  const doing = styledWidth(brief) <= room(counted) ? counted : soon;
  return [cutStyled(brief, Math.max(8, room(doing)), cut), doing] as const;
}

/** Tasks shown, and which part of the screen they may take. */
const maxTodos = 8;
const todoShare = 0.3;

/** The list of tasks; if it is long, without what is done at its start and what comes last. */
function todoLines({ todos, theme, signs, dialog }: Dock, rows: number): string[] {
  const first = todos.findIndex(({ status }) => status !== "done");
  if (first < 0 || dialog) return [];
  const room = Math.max(1, Math.min(maxTodos, Math.floor(rows * todoShare)));
  const start = todos.length <= room ? 0 : Math.min(first, todos.length - room);
  const shown = todos.slice(start, start + room);
  const more = todos.length - shown.length;
  const rest = more > 0 ? [theme.style.dim(`  ${signs.cut} ${more} more: /todos`)] : [];
  return [...renderTodos(shown, theme.style).map((line) => `  ${line}`), ...rest];
}

function inSeconds(ms: number): string {
  return duration(Math.max(1, Math.floor(ms / 1000)) * 1000).replace(".0", "");
}

function queueLines({ queue, theme, signs }: Dock, columns: number): string[] {
  const { cut, prompt } = signs;
  return queue.map(({ text, when }) => {
    const first = sanitise(text.split("\n")[0] ?? "");
    const isMore = text.includes("\n") ? ` ${cut}` : "";
    const remark = theme.style.dim(when === "step" ? "  next step" : "  after the answer");
    return `${theme.style.dim(prompt)} ${cutStyled(first, Math.max(8, columns - 30), cut)}${isMore}${remark}`;
  });
}

/** The end of the draft: what is being typed. */
function draftLines({ draft = "", theme, signs }: Dock, columns: number): string[] {
  const last = sanitiseLine(draft.trimEnd().split("\n").at(-1) ?? "");
  if (last === "") return [];
  const room = columns - styledWidth(`${signs.prompt} `);
  const width = styledWidth(last);
  const cut = `${signs.cut} `;
  const shown = width > room ? cut + fromColumn(last, width - room + styledWidth(cut)) : last;
  return [`${theme.style.dim(signs.prompt)} ${shown}`];
}

/** A question waits: Tab gives it the keys. */
function askerLines({ asker, theme, signs }: Dock): string[] {
  return asker === undefined ? [] : [theme.selected(` ${asker} waits for your answer ${signs.dot} Tab `)];
}

function hintLines({ hint, theme, queue, dialog }: Dock): string[] {
  const takeBack = queue.length > 0 && !dialog ? [theme.style.dim("  up takes the last one back")] : [];
  return [...takeBack, ...(hint === undefined ? [] : [theme.style.dim(hint)])];
}

/** A key, and what it does in a word or two. */
export type KeyRow = readonly [key: string, what: string];

/** Columns of the overlay at most. */
const maxColumns = 3;

/** Between a key and its meaning, and between columns. */
const gapColumns = 2;

/** Lays the keys out in columns, read from top to bottom, in at most `room` rows. */
function renderKeyOverlay(rows: readonly KeyRow[], look: Skin, columns: number, room: number): string[] {
  const { theme, signs } = look;
  let across = maxColumns;
  let laidOut = inColumns(rows, across);
  while (across > 1 && widthOf(laidOut) > columns) laidOut = inColumns(rows, --across);
  const height = Math.max(...laidOut.map((column) => column.length));
  const lines = Array.from({ length: height }, (_, row) => {
    const cells = laidOut.map((column) => cell(column, row, theme.style));
    return cutStyled(cells.join("").trimEnd(), columns, signs.cut);
  });
  const most = Math.max(1, room);
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), theme.style.dim(`${signs.cut} ${lines.length - most + 1} more: /help`)];
}

function inColumns(rows: readonly KeyRow[], across: number): (readonly KeyRow[])[] {
  const height = Math.ceil(rows.length / across);
  return Array.from({ length: across }, (_, column) => rows.slice(column * height, (column + 1) * height));
}

function widthOf(laidOut: readonly (readonly KeyRow[])[]): number {
  return laidOut.reduce((sum, column) => sum + widthsOf(column).all, -gapColumns);
}

function widthsOf(column: readonly KeyRow[]): { readonly key: number; readonly all: number } {
  const key = Math.max(0, ...column.map(([name]) => styledWidth(name)));
  const what = Math.max(0, ...column.map(([, meaning]) => styledWidth(meaning)));
  return { key, all: key + what + 2 * gapColumns };
}

function cell(column: readonly KeyRow[], row: number, { cyan, dim }: Skin["theme"]["style"]): string {
  const { key: keyWidth, all } = widthsOf(column);
  const [key, what] = column[row] ?? ["", ""];
  const text = `${cyan(key)}${" ".repeat(keyWidth - styledWidth(key) + gapColumns)}${dim(what)}`;
  return text + " ".repeat(all - styledWidth(text));
}

/** A part of the footer. */
interface Part {
  readonly text: string;
  readonly isRight?: boolean;
  /** The part with the lowest weight is left out first if there is no room. */
  readonly weight: number;
}

/** What the footer shows. */
export interface FooterFacts {
  readonly mode: PermissionMode;
  /** The title of the mode. */
  readonly modeTitle: string;
  /** Whether turns work for a goal. */
  readonly hasGoal?: boolean;
  /** The project's directory in short form. */
  readonly directory: string;
  readonly branch: string | undefined;
  readonly model: string;
  /** The thinking level, if the user has set one. */
  readonly thinking: string | undefined;
  /** How many of each run in the background. */
  readonly running?: Readonly<Record<"job" | "agent" | "service", number>>;
  /** Absent before the first request. */
  readonly usage?: UsageFacts;
}

interface UsageFacts {
  /** The size of the next request and of the model's window, in tokens. */
  readonly context: number;
  readonly window: number | undefined;
  /** In dollars. */
  readonly cost: number | undefined;
}

/** The last line: permission mode, directory, branch, context, cost and model. Unknown values are left out. */
function renderFooter(facts: FooterFacts, { theme, signs }: Skin, columns: number): string {
  const { style } = theme;
  const { dot, cut } = signs;
  const join = (parts: readonly Part[]) => parts.map(({ text }) => text).join(style.dim(` ${dot} `));
  let parts = partsOf(facts, style, cut);
  for (;;) {
    const left = join(parts.filter(({ isRight }) => !isRight));
    const right = join(parts.filter(({ isRight }) => isRight));
    const gap = columns - styledWidth(left) - styledWidth(right);
    if (gap >= 2) return `${left}${" ".repeat(gap)}${right}`;
    if (parts.length === 1) return cutStyled(left, columns, cut);
    const least = Math.min(...parts.map(({ weight }) => weight));
    parts = parts.filter(({ weight }) => weight !== least);
  }
}

function partsOf(facts: FooterFacts, style: Style, cut: string): Part[] {
  const { directory, branch, model, thinking, usage } = facts;
  const { dim } = style;
  return [
    { text: modePart(facts, style), weight: 9 },
    ...(facts.hasGoal ? [{ text: style.cyan("goal"), weight: 8.5 }] : []),
    { text: dim(placeName(directory, cut)), weight: 5 },
    ...(branch === undefined ? [] : [{ text: dim(sanitiseLine(branch)), weight: 4 }]),
    ...runningParts(facts, style),
    ...(usage ? usageParts(usage, style) : []),
    { text: dim(`${sanitiseLine(model)}${thinking === undefined ? "" : ` (${thinking})`}`), isRight: true, weight: 6 },
  ];
}

/** A longer path is cut to its last component. */
const maxPathColumns = 32;

function placeName(path: string, cut: string): string {
  return styledWidth(path) <= maxPathColumns ? path : `${cut}/${basename(path)}`;
}

function modePart({ mode, modeTitle }: FooterFacts, style: Style): string {
  if (mode === "plan") return style.cyan(modeTitle);
  return mode === "allow" || mode === "edits" ? style.yellow(modeTitle) : style.dim(modeTitle);
}

function runningParts({ running = { job: 0, agent: 0, service: 0 } }: FooterFacts, { cyan }: Style): Part[] {
  const counts = Object.entries(running).filter(([, count]) => count > 0);
  const text = counts.map(([what, count]) => `${count} ${what}${count === 1 ? "" : "s"}`).join(", ");
  return text === "" ? [] : [{ text: cyan(text), weight: 7.5 }];
}

function usageParts({ context: size, window, cost }: UsageFacts, { dim, yellow }: Style): Part[] {
  const share = window === undefined ? undefined : size / window;
  const context =
    window === undefined || share === undefined
      ? `context ${tokenCount(size)}`
      : `context ${Math.round(100 * share)} % of ${tokenCount(window)}`;
  const isNearlyFull = share !== undefined && share > nearlyFull;
  return [
    { text: isNearlyFull ? yellow(context) : dim(context), isRight: true, weight: 8 },
    ...(cost === undefined ? [] : [{ text: dim(`$${cost.toFixed(cost < 0.1 ? 3 : 2)}`), isRight: true, weight: 7 }]),
  ];
}

/** Share of the window from which the context is highlighted: compaction is near. */
const nearlyFull = 0.7;

/** A background job that was running when it was last looked at. */
export interface RunningJob {
  readonly pid: number;
  readonly command: string;
  readonly startedAt: Date;
}

/** What runs in the background, as last looked at. */
export interface Running {
  readonly jobs: readonly RunningJob[];
  readonly agents: number;
  readonly services: number;
}
