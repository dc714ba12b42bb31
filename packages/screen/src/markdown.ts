// Markdown on the screen: what pi-tui draws, with tables, footnotes, entities and formulas that it does not know.

import { Markdown, type MarkdownTheme, renderLatex, setCapabilities, sliceByColumn } from "@earendil-works/pi-tui";
import { sanitise } from "./sanitise.ts";
import { styledWidth } from "./styled-text.ts";
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
    const free = spaces ? styledWidth(spaces[0]) : 0;
    const before = align[index] === "right" ? free : align[index] === "center" ? Math.floor(free / 2) : 0;
    const text = spaces ? cell.slice(0, spaces.index) + (spaces[1] ?? "") : cell;
    return " ".repeat(before) + text + " ".repeat(width - styledWidth(text) - before);
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

/** Characters that models write as entities. */
const named: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", copy: "©", reg: "®", trade: "™" },
  ...{ hellip: "…", mdash: "—", ndash: "–", lsquo: "‘", rsquo: "’", ldquo: "“", rdquo: "”", bull: "•" },
  ...{ middot: "·", times: "×", divide: "÷", deg: "°", plusmn: "±", larr: "←", rarr: "→", uarr: "↑", darr: "↓" },
  ...{ harr: "↔", le: "≤", ge: "≥", ne: "≠", infin: "∞", euro: "€", pound: "£", yen: "¥", cent: "¢", sect: "§" },
  ...{ para: "¶", laquo: "«", raquo: "»", frac12: "½", sup2: "²", sup3: "³", micro: "µ", check: "✓" },
};

/** Code, which stays as it is, or an entity. */
const codeOrEntity = /(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)|&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([A-Za-z]\w*));/g;

/** Code, or the mark of a footnote. */
const codeOrFootnote = /(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)|\[\^([^\]\s]{1,40})\]:?/g;

/** Rewrites what pi-tui does not know, to Markdown that it does: entities, and footnotes, which it would take for links. */
function plainMarkdown(text: string): string {
  const withNotes = text.includes("[^") ? text.replace(codeOrFootnote, footnote) : text;
  return withNotes.includes("&") ? withNotes.replace(codeOrEntity, decoded) : withNotes;
}

function footnote(whole: string, code: string | undefined, name: string): string {
  return code === undefined ? `[${name}]` : whole;
}

function decoded(
  whole: string,
  code: string | undefined,
  decimal: string | undefined,
  hex: string | undefined,
  name: string | undefined,
): string {
  if (code !== undefined) return whole;
  const number = decimal ?? (hex === undefined ? undefined : `0x${hex}`);
  const found = number === undefined ? named[name ?? ""] : characterAt(Number(number));
  if (found === undefined) return whole;
  // It is text, not markup; brackets would begin a formula.
  return /^[!-'*-/:-@\\^-`{-~]$/.test(found) ? `\\${found}` : found;
}

/** A character that may be shown; undefined for others: the text was sanitised before. */
function characterAt(point: number): string | undefined {
  if (point > 0x10ffff || point < 0x20) return undefined;
  const character = String.fromCodePoint(point);
  return sanitise(character) === character ? character : undefined;
}

/** A formula in LaTeX as text, as answers show it; undefined if it has something that is not known. */
export function formulaText(latex: string): string | undefined {
  return renderLatex(latex);
}
