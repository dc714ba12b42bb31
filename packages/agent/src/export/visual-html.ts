import type { DiffVisual, TableVisual } from "@ikigai/protocol";
import type { ShownImage, ShownVisual } from "../model/shown-visual.ts";
import { chartSvg } from "./chart-svg.ts";
import { escapeOutput } from "./escape-html.ts";

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
