import type { ShownImage, ShownVisual } from "@ikigai/agent/internal";
import { changedLines, renderLine } from "../file-change.ts";
import { cutToWidth, headAndTail, rowsOf } from "../fit-text.ts";
import type { DiffLine } from "../line-diff.ts";
import { sanitise, sanitiseLine } from "../sanitise.ts";
import { shortPath } from "../short-path.ts";
import { drawChart } from "./draw-chart.ts";
import { drawTable, type Look } from "./draw-table.ts";
import type { DrawnLine, Picture } from "./picture.ts";

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
