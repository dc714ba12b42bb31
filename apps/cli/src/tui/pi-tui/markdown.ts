import { Markdown, type MarkdownTheme, setCapabilities } from "@earendil-works/pi-tui";
import type { Theme } from "./theme.ts";

// Links are written out: what a link hides behind its words is nothing a model should decide.
setCapabilities({ images: null, trueColor: false, hyperlinks: false });

/** Stands for the line of a fence, which is not shown. */
const fence = "\u0000";

/** Renders sanitised markdown. Lines are no wider than `columns`, and have no space at their ends. */
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
  // Where there is room between two pieces, others say.
  const first = lines.findIndex((line) => line !== "");
  const last = lines.findLastIndex((line) => line !== "");
  return first < 0 ? [] : lines.slice(first, last + 1);
}

/** What pi-tui puts before a heading of the third level and below. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin so
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
