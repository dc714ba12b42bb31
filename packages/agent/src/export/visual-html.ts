import type { ShownImage, ShownVisual } from "@ikigai/models";
import { type ChartVisual, type DiffVisual, type TableVisual, textStart } from "@ikigai/protocol";
import { escapeOutput } from "./code-html.ts";

/** What a tool showed, as a figure that loads and runs nothing. */
export function visualHtml(visual: ShownVisual): string {
  return `<figure>${content(visual)}<figcaption>${escapeOutput(caption(visual))}</figcaption></figure>`;
}

function caption(visual: ShownVisual): string {
  if (visual.type === "refused") return `${visual.alt} (not drawn: ${visual.reason})`.trim();
  return visual.type === "image" && !visual.bytes ? `${visual.alt} (${visual.path})` : visual.alt;
}

function content(visual: ShownVisual): string {
  switch (visual.type) {
    case "table":
      return tableHtml(visual);
    case "diff":
      return diffHtml(visual);
    case "chart":
      return chartSvg(visual);
    case "image":
      return imageHtml(visual);
    case "refused":
      return "";
    default:
      return visual satisfies never;
  }
}

function tableHtml({ columns, rows }: TableVisual): string {
  const row = (cells: readonly string[]) => `<tr>${cells.join("")}</tr>`;
  const head = row(columns.map((name) => `<th>${escapeOutput(name)}</th>`));
  const body = rows.map((cells) =>
    row(
      cells.map((cell) => {
        const mark = typeof cell === "number" ? ' class="number"' : "";
        return `<td${mark}>${escapeOutput(String(cell ?? ""))}</td>`;
      }),
    ),
  );
  return `<table><thead>${head}</thead><tbody>${body.join("")}</tbody></table>`;
}

function diffHtml({ path, text }: DiffVisual): string {
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const mark = line.startsWith("+") ? " added" : line.startsWith("-") ? " removed" : "";
      return `<span class="row${mark}">${escapeOutput(line)}\n</span>`;
    });
  return `<div class="who">${escapeOutput(path)}</div><pre class="change"><code>${lines.join("")}</code></pre>`;
}

/** The content of a file that could not be read again, or has changed, is not in the page. */
function imageHtml({ bytes, mediaType, alt, width, height }: ShownImage): string {
  if (!bytes) return "";
  const data = `data:${mediaType};base64,${bytes.toString("base64")}`;
  return `<img alt="${escapeOutput(alt)}" width="${width}" height="${height}" src="${data}">`;
}

/** The colours of the series, which are also named. */
const colours = ["#4c78c8", "#d98032", "#3f9b57", "#b5495b", "#8a63c0", "#7d6a4f", "#c06aa6", "#6f7a85"];

const width = 720;
const rowHeight = 18;
const labelWidth = 200;
const valueWidth = 90;
const plotHeight = 200;

/** The longest label, in characters: those of the terminal are cut, too. */
const maxLabelLength = 28;

/** A chart as an SVG picture. */
export function chartSvg(chart: ChartVisual): string {
  return chart.kind === "bar" ? bars(chart) : lines(chart);
}

function bars({ labels, series }: ChartVisual): string {
  const values = series.flatMap((one) => one.values);
  const position = scale([0, ...values], width - labelWidth - valueWidth);
  const zero = position(0);
  const rows = labels.flatMap((label, index) =>
    series.map(({ name, values: own }, one) => {
      const value = own[index] ?? 0;
      const y = (index * series.length + one) * rowHeight;
      const x = labelWidth + Math.min(zero, position(value));
      const title = series.length > 1 ? `${one === 0 ? `${label} ` : ""}${name}` : label;
      return (
        text(labelWidth - 8, y, title, "end") +
        `<rect x="${x.toFixed(1)}" y="${y + 3}" width="${Math.abs(position(value) - zero).toFixed(1)}" height="${rowHeight - 6}" fill="${colours[one]}"/>` +
        text(width - valueWidth + 8, y, String(value), "start")
      );
    }),
  );
  return svg(labels.length * series.length * rowHeight, rows);
}

function lines({ labels, series }: ChartVisual): string {
  const values = series.flatMap((one) => one.values);
  const height = scale(values, plotHeight);
  const step = labels.length > 1 ? (width - labelWidth - valueWidth) / (labels.length - 1) : 0;
  const drawn = series.map(({ name, values: own }, one) => {
    const points = own.map((value, index) => {
      return `${(labelWidth + index * step).toFixed(1)},${(rowHeight + plotHeight - height(value)).toFixed(1)}`;
    });
    const end = rowHeight + plotHeight - height(own.at(-1) ?? 0) - rowHeight / 2;
    return (
      `<polyline points="${points.join(" ")}" fill="none" stroke="${colours[one]}" stroke-width="2"/>` +
      (series.length > 1 ? text(width - valueWidth + 8, end, name, "start") : "")
    );
  });
  const below = plotHeight + 1.5 * rowHeight;
  const marks = [
    text(labelWidth - 8, rowHeight / 2, String(Math.max(...values)), "end"),
    text(labelWidth - 8, rowHeight / 2 + plotHeight, String(Math.min(...values)), "end"),
    text(labelWidth, below, labels[0] ?? "", "start"),
    text(width - valueWidth, below, labels.length > 1 ? (labels.at(-1) ?? "") : "", "end"),
  ];
  return svg(plotHeight + 3 * rowHeight, [...drawn, ...marks]);
}

/** Returns a function from a value to its distance from the lowest one. As shares of the largest one, no sum is infinite. */
function scale(values: readonly number[], length: number): (value: number) => number {
  const largest = Math.max(...values.map(Math.abs)) || 1;
  const low = Math.min(...values) / largest;
  const span = Math.max(...values) / largest - low || 1;
  return (value) => ((value / largest - low) / span) * length;
}

function svg(height: number, parts: readonly string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">${parts.join("")}</svg>`;
}

function text(x: number, y: number, content: string, anchor: "start" | "end"): string {
  const cut = content.length > maxLabelLength ? `${textStart(content, maxLabelLength - 1)}…` : content;
  return `<text x="${x}" y="${(y + rowHeight - 5).toFixed(1)}" text-anchor="${anchor}">${escapeOutput(cut)}</text>`;
}
