// The HTML page of a session: its head, the entries, calls and what tools have shown.
import { createHash } from "node:crypto";
import { isDocument, type ShownImage, type ShownVisual } from "@ikigai/models";
import {
  type ChartVisual,
  type DiffVisual,
  imageTypeOf,
  maxImageBytes,
  type TableVisual,
  textStart,
} from "@ikigai/protocol";
import { readRegularFile } from "@ikigai/system";
import type { KeptImage } from "../log/events.ts";
import {
  type ChangedLine,
  changeHtml,
  escapeHtml,
  escapeOutput,
  markdownRenderer,
  type ReadCode,
} from "./markdown-html.ts";
import { pageScript, pageStyle } from "./page-assets.ts";
import {
  callEnding,
  endText,
  type PastCall,
  printedText,
  type Transcript,
  type TranscriptEntry,
} from "./transcript.ts";

/** What a program knows about the session's tools and about code. All of it is optional. */
export interface ExportOptions {
  /** Describes a call; without it, its arguments do. */
  readonly describe?: (call: PastCall) => CallDescription;
  /** Reads the code of answers for its colours. */
  readonly readCode?: ReadCode;
  /** Shows a formula in LaTeX as text; undefined for one that it cannot read. */
  readonly readFormula?: (latex: string) => string | undefined;
}

/** The page of a session: see `exportHtml`. @param data an element with the session for programs */
export async function htmlPage(
  transcript: Transcript,
  { describe = plainDescription, readCode, readFormula }: ExportOptions,
  data = "",
): Promise<string> {
  const render = await markdownRenderer({ readCode, readFormula });
  const title = titleOf(transcript);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}
</style>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1>
<p class="facts">${factsOf(transcript).map(escapeHtml).join(" · ")}</p></header>
<form role="search" hidden><input type="search" placeholder="Search" aria-label="Search the session"><output></output><button type="button">Unfold all</button></form>
<main>
${entriesHtml(transcript, { describe, render })}
</main>
${data}<script>${pageScript}</script>
</body>
</html>
`;
}

const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  `script-src 'sha256-${createHash("sha256").update(pageScript).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

type Render = (markdown: string) => string;

/** The first line of what the user said first. */
function titleOf({ id, entries }: Transcript): string {
  const first =
    entries
      .find((entry) => entry.type === "user")
      ?.text.trim()
      .split("\n", 1)[0] ?? "";
  return first === "" ? `Session ${id}` : textStart(first, 100);
}

function factsOf({ id, cwd, startedAt, entries }: Transcript): string[] {
  const models = new Set(entries.flatMap((entry) => (entry.type === "answer" ? [entry.model] : [])));
  const calls = entries.filter(({ type }) => type === "call").length;
  return [minuteOf(startedAt), cwd, ...models, calls === 1 ? "1 call" : `${calls} calls`, `session ${id}`];
}

/** A log's time, to the minute. */
function minuteOf(time: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(time) ? `${time.slice(0, 16).replace("T", " ")} UTC` : "";
}

interface Parts {
  readonly describe: (call: PastCall) => CallDescription;
  readonly render: Render;
}

function entriesHtml({ entries }: Transcript, parts: Parts): string {
  let turn = 0;
  let model = "";
  return entries
    .map((entry) => {
      if (entry.type === "user") turn++;
      // The model is named where it is another one.
      const isOther = entry.type === "answer" && entry.model !== model;
      if (isOther) model = entry.model;
      return entryHtml(entry, { ...parts, turn, isOther });
    })
    .join("\n");
}

function entryHtml(
  entry: TranscriptEntry,
  { describe, render, turn, isOther }: Parts & { readonly turn: number; readonly isOther: boolean },
): string {
  switch (entry.type) {
    case "user": {
      const link = `<a href="#turn-${turn}">${turn}</a> ${escapeHtml(minuteOf(entry.time))}`;
      return `<section class="user" id="turn-${turn}"><div class="who">${link}</div><div class="said">${escapeOutput(entry.text)}</div>${imagesHtml(entry.images)}</section>`;
    }
    case "answer": {
      const who = isOther ? `<div class="who">${escapeHtml(entry.model)}</div>\n` : "";
      return `<section class="answer">${who}${render(entry.text)}</section>`;
    }
    case "thought":
      return `<details><summary><span class="who">thought</span></summary><div class="thought">${escapeOutput(entry.text.trim())}</div></details>`;
    case "call":
      return callHtml(entry, describe);
    case "end":
      return `<p class="end">${escapeOutput(endText(entry))}</p>`;
    default:
      return entry satisfies never;
  }
}

/** How a call is described to people. */
export interface CallDescription {
  /** One line, for instance a shell command or a path. */
  readonly title: string;
  /** All arguments; empty if the title has them. */
  readonly details: string;
  /** What a finished call changed in a file. */
  readonly change?: readonly ChangedLine[];
}

/** Changes of up to this many lines are not folded. */
const maxOpenLines = 40;

/** A call in one line that unfolds, and below it what the tool showed. */
function callHtml(
  { call, durationMs, images, visuals }: Extract<TranscriptEntry, { type: "call" }>,
  describe: (call: PastCall) => CallDescription,
): string {
  const { title, details, change = [] } = describe(call);
  const ending = callEnding(call);
  const hasChanged = change.length > 0 && ending === undefined;
  const facts = [
    hasChanged ? sizeHtml(change) : "",
    ending === undefined ? "" : `<span class="failed">${escapeHtml(ending)}</span>`,
    durationMs === undefined || durationMs <= 0 ? "" : `<span>${durationText(durationMs)}</span>`,
  ].filter((text) => text !== "");
  const summary = `<b>${escapeHtml(call.name)}</b> <code>${escapeOutput(title)}</code> <span class="who">${facts.join(" · ")}</span>`;
  const isOpen = hasChanged && change.length <= maxOpenLines;
  return [
    `<details class="call"${isOpen ? " open" : ""}><summary>${summary}</summary>`,
    ...(hasChanged ? [changeHtml(change)] : details === "" ? [] : [`<pre>${escapeOutput(details)}</pre>`]),
    `<pre>${escapeOutput(printedText(call))}</pre>`,
    `</details>${imagesHtml(images)}`,
    ...visuals.map(visualHtml),
  ].join("\n");
}

/** The description of a call by a program that knows nothing about its tool. */
function plainDescription({ arguments: args }: PastCall): CallDescription {
  return { title: textStart(args, 300), details: args };
}

function sizeHtml(change: readonly ChangedLine[]): string {
  const count = (sign: ChangedLine["sign"]) => change.filter((line) => line.sign === sign).length;
  return `<span class="size"><span class="plus">+${count("+")}</span> <span class="minus">−${count("-")}</span></span>`;
}

function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return ms < 59_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Images of a session as parts of the page, with a sentence for one that can no longer be read; the number of documents. */
function imagesHtml(images: readonly KeptImage[]): string {
  const documents = images.filter(isDocument).length;
  const note = documents === 0 ? [] : [`<p class="who">${documents} PDF document${documents === 1 ? "" : "s"}</p>`];
  const pictures = images.filter((one) => !isDocument(one)).map(({ path }, index) => seenImageHtml(path, index + 1));
  return [...pictures, ...note].join("\n");
}

function seenImageHtml(path: string, number: number): string {
  try {
    const bytes = readRegularFile(path, maxImageBytes);
    const mediaType = imageTypeOf(bytes);
    if (mediaType === undefined) return missing(number, "it is not a PNG, JPEG, GIF or WebP image");
    return `<figure><img alt="image ${number}" src="data:${mediaType};base64,${bytes.toString("base64")}"></figure>`;
  } catch {
    return missing(number, "its file cannot be read");
  }
}

function missing(number: number, reason: string): string {
  return `<p class="who">${escapeHtml(`Image ${number} is missing: ${reason}.`)}</p>`;
}

/** What a tool showed, as a figure that loads and runs nothing. */
function visualHtml(visual: ShownVisual): string {
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
function chartSvg(chart: ChartVisual): string {
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
