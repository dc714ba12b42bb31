import type { ChartSeries, ChartVisual } from "@ikigai/protocol";
import { cutToWidth, textWidth } from "../fit-text.ts";
import { sanitiseLine } from "../sanitise.ts";
import type { Look } from "./draw-table.ts";

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
  const nameColumns = Math.max(...names.map(textWidth));
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
  const markColumns = Math.max(...marks.map(textWidth));
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
    const width = textWidth(plot[0] ?? "");
    const rows = plot.map((row, index) => {
      const mark = index === 0 ? marks[0] : index === plotRows - 1 ? marks[1] : "";
      return `${(mark ?? "").padStart(markColumns)} ${style.dim(signs.axis)}${style.cyan(row)}`.trimEnd();
    });
    const [first = "", last = ""] = ends;
    const between = Math.max(1, width - textWidth(first) - textWidth(last));
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
  return text + " ".repeat(Math.max(0, columns - textWidth(text)));
}

/** At most 6 digits, which is more than a chart shows. */
function number(value: number): string {
  return String(Number(value.toPrecision(6)));
}
