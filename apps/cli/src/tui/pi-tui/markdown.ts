import { Markdown, type MarkdownTheme, setCapabilities, sliceByColumn } from "@earendil-works/pi-tui";
import { plainMarkdown } from "./markdown-source.ts";
import { columnsOf } from "./text.ts";
import type { Theme } from "./theme.ts";

// URLs are printed: a model must not hide a target behind a link's text.
setCapabilities({ images: null, trueColor: false, hyperlinks: false });

/** The width of pi-tui's longest rule, in columns. */
const maxRuleColumns = 80;

/** Placeholder for a fence line, which is not shown. */
const fence = "\u0000";

/** Renders sanitised Markdown. Lines fit in `columns` and have no trailing spaces. */
export function renderMarkdown(
  text: string,
  columns: number,
  theme: Theme,
  highlight: (code: string, language: string | undefined) => string[],
): string[] {
  const markdown = new Markdown(plainMarkdown(text), 0, 0, themeOf(theme, columns, highlight), undefined, {
    preserveOrderedListMarkers: true,
  });
  alignTables(markdown);
  const rendered = markdown.render(columns);
  const lines = rendered.filter((line) => !line.includes(fence)).map((line) => line.trimEnd());
  // The caller adds blank lines between pieces.
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, last + 1);
}

type Alignment = "left" | "center" | "right" | null;

/**
 * Aligns the columns of tables, which pi-tui does not. Wraps a private function; a test fails when it changes:
 * https://github.com/earendil-works/pi/blob/main/packages/tui/src/components/markdown.ts
 */
function alignTables(markdown: Markdown): void {
  const renderTable: unknown = Reflect.get(markdown, "renderTable");
  if (typeof renderTable !== "function") return;
  Reflect.set(markdown, "renderTable", (token: { readonly align?: readonly Alignment[] }, ...rest: unknown[]) => {
    const lines: readonly string[] = Reflect.apply(renderTable, markdown, [token, ...rest]);
    const { align = [] } = token;
    const [top = ""] = lines;
    if (!top.startsWith("┌") || align.every((one) => one === null || one === "left")) return lines;
    const widths = top
      .slice(1, -1)
      .split("┬")
      .map((border) => border.length - 2);
    return lines.map((line) => (line.startsWith("│") ? alignedRow(line, widths, align) : line));
  });
}

/** Moves the text of each cell, which has spaces after it. A style that ends with the cell ends before the border. */
function alignedRow(line: string, widths: readonly number[], align: readonly Alignment[]): string {
  let at = 2;
  const cells = widths.map((width, index) => {
    // With the spaces of the borders: the cell's own codes are between them, those of earlier cells before the first.
    const slice = sliceByColumn(line, at - 1, width + 2);
    const cell = slice.slice(slice.indexOf(" ") + 1, -1);
    at += width + 3;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
    const spaces = / *((?:\u001b\[[\d;]*m)*)$/.exec(cell);
    const free = spaces ? columnsOf(spaces[0]) : 0;
    const before = align[index] === "right" ? free : align[index] === "center" ? Math.floor(free / 2) : 0;
    const text = spaces ? cell.slice(0, spaces.index) + (spaces[1] ?? "") : cell;
    return " ".repeat(before) + text + " ".repeat(width - columnsOf(text) - before);
  });
  return `│ ${cells.join(" │ ")} │`;
}

/** pi-tui's prefix of a heading at level 3 and below. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
const levelMark = /^((?:\u001b\[[\d;]*m)*)#{3,6} /;

function themeOf(
  theme: Theme,
  columns: number,
  highlight: (code: string, language: string | undefined) => string[],
): MarkdownTheme {
  const { style } = theme;
  const same = (text: string) => text;
  return {
    heading: (text) => style.cyan(text.replace(levelMark, "$1")),
    link: style.cyan,
    linkUrl: style.dim,
    code: theme.code,
    codeBlock: same,
    codeBlockBorder: () => fence,
    quote: theme.italic,
    quoteBorder: style.dim,
    // pi-tui's is as wide as the list or the quote around it, but at most this wide.
    hr: (line) => style.dim(line.length < maxRuleColumns ? line : "─".repeat(columns)),
    listBullet: style.cyan,
    bold: style.bold,
    italic: theme.italic,
    strikethrough: theme.strikethrough,
    underline: theme.underline,
    highlightCode: highlight,
  };
}
