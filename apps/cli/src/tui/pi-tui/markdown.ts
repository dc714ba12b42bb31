import { Markdown, type MarkdownTheme, setCapabilities } from "@earendil-works/pi-tui";
import type { Theme } from "./theme.ts";

// URLs are printed: a model must not hide a target behind a link's text.
setCapabilities({ images: null, trueColor: false, hyperlinks: false });

/** Placeholder for a fence line, which is not shown. */
const fence = "\u0000";

/** Renders sanitised Markdown. Lines fit in `columns` and have no trailing spaces. */
export function renderMarkdown(
  text: string,
  columns: number,
  theme: Theme,
  highlight: (code: string, language: string | undefined) => string[],
): string[] {
  const rendered = new Markdown(text, 0, 0, themeOf(theme, columns, highlight), undefined, {
    preserveOrderedListMarkers: true,
  }).render(columns);
  const lines = rendered.filter((line) => !line.includes(fence)).map((line) => line.trimEnd());
  // The caller adds blank lines between pieces.
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, last + 1);
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
    hr: () => style.dim("─".repeat(columns)),
    listBullet: style.cyan,
    bold: style.bold,
    italic: theme.italic,
    strikethrough: theme.strikethrough,
    underline: theme.underline,
    highlightCode: highlight,
  };
}
