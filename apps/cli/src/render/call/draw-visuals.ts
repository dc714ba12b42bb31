// Draws what tools show: tables, charts, diffs and images, from a call that runs or from a log.

import type { ShownImage, ShownVisual } from "@ikigai/models";
import type { ChartSeries, ChartVisual, TableVisual, VisualCell } from "@ikigai/protocol";
import {
  cutPart,
  cutToWidth,
  type DiffLine,
  type DrawnLine,
  headAndTail,
  type Look,
  type Picture,
  plainWidth,
  rowsOf,
  sanitise,
  sanitiseLine,
} from "@ikigai/screen";
import { readKept, withBytes } from "@ikigai/session";
import { shortPath } from "../short-forms.ts";
import { changedLines, renderLine } from "./file-change.ts";

/** How visuals are drawn. */
export interface DrawOptions {
  /** Draws an image; returns `undefined` if it cannot. Default: no images. */
  readonly place?: ((image: ShownImage, columns: number) => Picture | undefined) | undefined;
  /** Lines of a visual at most. Default: all. */
  readonly maxLines?: number;
  /** The key that shows the rest. */
  readonly key?: string;
}

/** Lines of a visual in a conversation. */
export const maxConversationLines = 40;

const indent = "  ";

/** Draws what tools show, each below the first line of its text. What cannot be drawn is its whole text. */
export function drawVisuals(visuals: readonly ShownVisual[], look: Look, options: DrawOptions = {}): DrawnLine[] {
  const inner = { ...look, columns: Math.max(1, look.columns - indent.length) };
  return visuals.flatMap((visual) =>
    drawOne(visual, inner, options).map((line) => (typeof line === "string" ? `${indent}${line}`.trimEnd() : line)),
  );
}

function drawOne(visual: ShownVisual, look: Look, options: DrawOptions): DrawnLine[] {
  const { style } = look;
  const title = () =>
    style.dim(cutToWidth(sanitiseLine(visual.alt.trim().split("\n")[0] ?? ""), look.columns, look.signs.cut));
  switch (visual.type) {
    case "table": {
      const [head = "", rule = "", ...rows] = drawTable(visual, look);
      return [title(), head, rule, ...fitLines(rows, look, options)];
    }
    case "diff": {
      const path = sanitiseLine(visual.path);
      return [
        title(),
        style.bold(cutToWidth(path, look.columns, look.signs.cut)),
        ...fitLines(drawDiff(visual.text, look), look, options),
      ];
    }
    case "chart":
      return [title(), ...fitLines(drawChart(visual, look), look, options)];
    case "image": {
      const picture = options.place?.(visual, look.columns);
      return picture ? [title(), picture] : [...altLines(visual.alt, look), ...imagePath(visual, look)];
    }
    case "refused": {
      const note = rowsOf(`not drawn: ${sanitiseLine(visual.reason)}`, look.columns).map(style.yellow);
      return [...altLines(visual.alt, look), ...note];
    }
    default:
      return visual satisfies never;
  }
}

function drawDiff(text: string, look: Look): string[] {
  const { columns, signs } = look;
  return changedLines({ lines: diffOfText(text) }, look).map((line) => {
    const { length } = line.margin;
    const fitting = cutToWidth(`${line.margin}${line.text}`, columns, signs.cut);
    return renderLine({ ...line, margin: fitting.slice(0, length), text: fitting.slice(length) });
  });
}

function fitLines(lines: readonly string[], { style, signs }: Look, { maxLines, key = "" }: DrawOptions): string[] {
  if (maxLines === undefined) return [...lines];
  const gap = (leftOut: number) => style.dim(`${signs.cut} ${leftOut} lines${key && `   ${key}`}`);
  return headAndTail(lines, { head: maxLines, tail: 0, gap });
}

function imagePath({ path, width, height }: ShownImage, { style, columns, signs }: Look): string[] {
  const short = sanitiseLine(shortPath(path, { projectDir: process.cwd() }));
  return [style.dim(cutToWidth(`image: ${short} (${width} x ${height})`, columns, signs.cut))];
}

function altLines(alt: string, { columns }: Look): string[] {
  return sanitise(alt.trim())
    .replaceAll("\t", "    ")
    .split("\n")
    .flatMap((line) => rowsOf(line, columns));
}

/** Reads a unified diff of one file. Lines outside of its parts, such as the names of the file, are left out. */
function diffOfText(text: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let old = 0;
  let now = 0;
  let isInside = false;
  const all = text.replace(/\n$/, "").split("\n");
  for (const [index, line] of all.entries()) {
    // The names of another file.
    if (line.startsWith("--- ") && all[index + 1]?.startsWith("+++ ")) isInside = false;
    const head = /^@@ -(\d{1,9})(?:,\d+)? \+(\d{1,9})(?:,\d+)? @@/.exec(line);
    if (head) {
      isInside = true;
      old = Number(head[1]);
      now = Number(head[2]);
    } else if (isInside && line.startsWith("+")) lines.push({ sign: "+", text: line.slice(1), number: now++ });
    else if (isInside && line.startsWith("-")) lines.push({ sign: "-", text: line.slice(1), number: old++ });
    else if (isInside && (line.startsWith(" ") || line === "")) {
      lines.push({ sign: " ", text: line.slice(1), number: now++ });
      old++;
    } else if (!line.startsWith("\\")) isInside = false;
  }
  return lines;
}

const gap = "  ";

/** A column that is narrower says nothing; further ones are left out instead. */
const minColumns = 3;

/** A table: its head, a rule, and its rows. Wide columns are cut to the same width. */
export function drawTable({ columns, rows }: TableVisual, { style, signs, columns: room }: Look): string[] {
  const all = columns.map((name, index) => columnOf(name, rows, index));
  const count = Math.max(1, Math.min(all.length, Math.floor((room + gap.length) / (minColumns + gap.length))));
  const shown = all.slice(0, count);
  const widest = widestColumn(shown, room - gap.length * (count - 1));
  const cell = (text: string, column: Column | undefined) =>
    fit(text, Math.min(column?.width ?? 0, widest), column?.isNumber ?? false, signs.cut);
  const line = (texts: readonly string[]) =>
    cutToWidth(
      texts
        .map((text, index) => cell(text, shown[index]))
        .join(gap)
        .trimEnd(),
      room,
      signs.cut,
    );
  const head = line(shown.map(({ texts }) => texts[0] ?? ""));
  const rule = signs.rule.repeat(
    Math.min(
      room,
      shown.reduce((sum, { width }) => sum + Math.min(width, widest) + gap.length, -gap.length),
    ),
  );
  const body = rows.map((_, index) => line(shown.map(({ texts }) => texts[index + 1] ?? "")));
  const left = all.length - count;
  return [
    style.bold(head),
    style.dim(rule),
    ...body,
    ...(left > 0 ? [style.dim(cutToWidth(`${signs.cut} ${left} more columns`, room, ""))] : []),
  ];
}

/** A column: its name, then its cells. */
interface Column {
  readonly texts: readonly string[];
  readonly width: number;
  readonly isNumber: boolean;
}

function columnOf(name: string, rows: readonly (readonly VisualCell[])[], index: number): Column {
  const cells = rows.map((row) => row[index] ?? null);
  const texts = [name, ...cells.map((cell) => (cell === null ? "" : String(cell)))].map(sanitiseLine);
  return {
    texts,
    width: Math.max(1, ...texts.map(plainWidth)),
    isNumber:
      cells.some((cell) => typeof cell === "number") &&
      cells.every((cell) => cell === null || typeof cell === "number"),
  };
}

/** The greatest width of a column with which all fit into the room. */
function widestColumn(columns: readonly Column[], room: number): number {
  const takes = (widest: number) => columns.reduce((sum, { width }) => sum + Math.min(width, widest), 0);
  let widest = room;
  while (widest > 1 && takes(widest) > room) widest--;
  return widest;
}

function fit(text: string, width: number, isRight: boolean, sign: string): string {
  const cut = cutPart(text, width, width > plainWidth(sign) ? sign : "");
  const blank = " ".repeat(Math.max(0, width - plainWidth(cut)));
  return isRight ? blank + cut : cut + blank;
}

/** Rows of a line chart. */
const plotRows = 8;

/** Columns of a line chart for each step between two values, at most. */
const maxStep = 6;

/** The narrowest bar or line that says something; without this room there are only the numbers. */
const minPlotColumns = 8;

/** A chart of block characters. A series is never told apart by colour alone. */
export function drawChart(chart: ChartVisual, look: Look): string[] {
  return chart.kind === "bar" ? drawBars(chart, look) : drawLines(chart, look);
}

function drawBars({ labels, series }: ChartVisual, look: Look): string[] {
  const { style, signs, columns } = look;
  const isGrouped = series.length > 1;
  const names = (isGrouped ? series.map(({ name }) => `  ${sanitiseLine(name)}`) : labels.map(sanitiseLine)).map(
    (name) => cutToWidth(name, Math.floor(columns * 0.4), signs.cut),
  );
  const nameColumns = Math.max(...names.map(plainWidth));
  const valueColumns = Math.max(...series.flatMap(({ values }) => values.map((value) => number(value).length)));
  const room = columns - nameColumns - valueColumns - 4;
  const scale = scaleOf(series);
  const row = (index: number, value: number) => {
    const name = pad(names[index] ?? "", nameColumns);
    const shown = number(value).padStart(valueColumns);
    if (room < minPlotColumns) return cutToWidth(`${name}  ${shown}`, columns, signs.cut);
    return `${name}  ${style.cyan(barOf(value, scale, room, look))}  ${shown}`;
  };
  if (!isGrouped) return labels.map((_, index) => row(index, series[0]?.values[index] ?? 0));
  return labels.flatMap((label, index) => [
    cutToWidth(sanitiseLine(label), columns, signs.cut),
    ...series.map(({ values }, one) => row(one, values[index] ?? 0)),
  ]);
}

/** The lowest and the highest value, with 0 between them, as shares of the largest one: a sum of them is always finite. */
interface Scale {
  readonly largest: number;
  readonly low: number;
  readonly high: number;
}

function scaleOf(series: readonly ChartSeries[]): Scale {
  const values = series.flatMap((one) => one.values);
  const largest = Math.max(...values.map(Math.abs)) || 1;
  return { largest, low: Math.min(0, ...values) / largest, high: Math.max(0, ...values) / largest };
}

/** A bar with its blank rest, so that the numbers after it line up. Negative ones grow to the left of the others. */
function barOf(value: number, { largest, low, high }: Scale, room: number, { signs }: Look): string {
  const cells = (share: number) => (high === low ? 0 : (share / (high - low)) * room);
  // Both sides have a cell for values that are much smaller than the others.
  const before = Math.max(low < 0 ? 1 : 0, Math.min(Math.round(cells(-low)), high > 0 ? room - 1 : room));
  // Beside the largest numbers, the smallest ones are 0.
  const share = value / largest;
  const length = cells(Math.abs(share));
  if (share < 0) {
    const full = Math.min(before, Math.max(1, Math.round(length)));
    return pad(" ".repeat(before - full) + signs.full.repeat(full), room);
  }
  const full = Math.min(room - before, Math.floor(length));
  const part = signs.parts[Math.floor((length - full) * (signs.parts.length + 1)) - 1] ?? "";
  const isVisible = full > 0 || part !== "" || share === 0;
  const bar = isVisible ? signs.full.repeat(full) + (full < room - before ? part : "") : (signs.parts[0] ?? signs.full);
  return pad(" ".repeat(before) + bar, room);
}

/** One plot for each series, all to the same scale. */
function drawLines({ labels, series }: ChartVisual, look: Look): string[] {
  const { style, signs, columns } = look;
  const { largest } = scaleOf(series);
  const values = series.flatMap((one) => one.values);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const marks = [number(high), number(low)];
  const markColumns = Math.max(...marks.map(plainWidth));
  const room = columns - markColumns - 2;
  const names = (name: string) => (series.length > 1 ? [cutToWidth(sanitiseLine(name), columns, signs.cut)] : []);
  if (room < minPlotColumns) {
    return series.flatMap(({ name, values: own }) => [
      ...names(name),
      ...own.map((value, index) =>
        cutToWidth(`${sanitiseLine(labels[index] ?? "")} ${number(value)}`, columns, signs.cut),
      ),
    ]);
  }
  const height = (value: number) => {
    const span = high / largest - low / largest;
    return span === 0 ? 0 : Math.round(((value / largest - low / largest) / span) * (plotRows - 1));
  };
  const ends = [labels[0] ?? "", labels.at(-1) ?? ""].map((label) =>
    cutToWidth(sanitiseLine(label), Math.floor((room - 1) / 2), signs.cut),
  );
  return series.flatMap(({ name, values: own }) => {
    const plot = plotOf(own.map(height), room, signs);
    const width = plainWidth(plot[0] ?? "");
    const rows = plot.map((row, index) => {
      const mark = index === 0 ? marks[0] : index === plotRows - 1 ? marks[1] : "";
      return `${(mark ?? "").padStart(markColumns)} ${style.dim(signs.axis)}${style.cyan(row)}`.trimEnd();
    });
    const [first = "", last = ""] = ends;
    const between = Math.max(1, width - plainWidth(first) - plainWidth(last));
    const below = labels.length > 1 ? `${first}${" ".repeat(between)}${last}` : first;
    return [...names(name), ...rows, style.dim(cutToWidth(" ".repeat(markColumns + 2) + below, columns, signs.cut))];
  });
}

/** Draws a line through heights from 0 to the top row. Of more values than there are columns, some are left out. */
function plotOf(heights: readonly number[], room: number, { line }: Look["signs"]): string[] {
  const step = Math.max(1, Math.min(maxStep, Math.floor(room / heights.length)));
  const width = Math.min(room, heights.length * step);
  const at = (column: number) => heights[Math.floor((column * heights.length) / width)] ?? 0;
  const grid = Array.from({ length: plotRows }, () => Array<string>(width).fill(" "));
  for (let column = 0; column < width; column++) {
    const now = at(column);
    const before = column === 0 ? now : at(column - 1);
    const put = (height: number, sign: string) => {
      const row = grid[plotRows - 1 - height];
      if (row) row[column] = sign;
    };
    if (before === now) put(now, line.flat);
    else {
      for (let height = Math.min(before, now) + 1; height < Math.max(before, now); height++) put(height, line.steep);
      put(before, now > before ? line.leaveUp : line.leaveDown);
      put(now, now > before ? line.arriveUp : line.arriveDown);
    }
  }
  return grid.map((row) => row.join(""));
}

function pad(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - plainWidth(text)));
}

/** At most 6 digits, which is more than a chart shows. */
function number(value: number): string {
  return String(Number(value.toPrecision(6)));
}

/** Reads the visuals of a log, which may contain anything. */
export function readLogged(visuals: readonly ShownVisual[]): ShownVisual[] {
  return readKept(visuals);
}

/** As `readLogged`, with the images whose files are still the same. */
export function readLoggedImages(visuals: readonly ShownVisual[]): ShownVisual[] {
  return readKept(visuals).map(withBytes);
}
