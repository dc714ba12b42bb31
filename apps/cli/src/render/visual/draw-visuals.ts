import type { ShownImage, ShownVisual } from "@ikigai/agent/internal";
import { changedLines, renderLine } from "../file-change.ts";
import { cutToWidth, headAndTail, rowsOf } from "../fit-text.ts";
import { sanitise, sanitiseLine } from "../sanitise.ts";
import { shortPath } from "../short-path.ts";
import { diffOfText } from "./diff-of-text.ts";
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
