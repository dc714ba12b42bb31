// The colours of code on the screen: what is highlighted at once, then how the highlighter's HTML becomes pieces with a colour.

import type { Theme } from "@ikigai/screen";
import type { CodeKind, CodePiece } from "@ikigai/session/export";

/** Highlights code as HTML; undefined for an unknown language. */
export type ToHtml = (code: string, language: string) => string | undefined;

/** Longer code has no colours, in characters. */
const maxHighlighted = 100_000;

/**
 * The most that is read at once for the screen, in characters; the library takes about 2 ms (bench/highlight.mjs), so that typing
 * never waits for what streams in.
 */
const maxAtOnce = 4_000;

/** Half of it is new: the other half may be lines before, where a string or a comment may have begun. */
export const maxNewAtOnce = maxAtOnce / 2;

/** A piece of code that has one colour. */
export interface CodePart {
  readonly text: string;
  readonly look: (text: string) => string;
}

/** Highlights sanitised code on the screen, line by line. @param before earlier lines of the same code */
export function highlight(
  toHtml: ToHtml,
  code: string,
  language: string | undefined,
  theme: Theme,
  before: readonly string[] = [],
): string[] {
  const lines = code.split("\n");
  if (language === undefined || code.length > maxHighlighted) return lines;
  const all = [...before, ...lines];
  const drawn: string[] = [];
  for (let start = before.length; start < all.length; ) {
    const end = endOfLines(all, start, maxNewAtOnce);
    const from = startOfLines(all, start, maxAtOnce - lengthOf(all.slice(start, end)));
    const text = all.slice(from, end).join("\n");
    const pieces = text.length <= maxAtOnce ? codePieces(toHtml, text, language)?.slice(start - from) : undefined;
    drawn.push(...(pieces?.map((line) => drawLine(line, theme)) ?? all.slice(start, end)));
    start = end;
  }
  return drawn;
}

function drawLine(line: readonly CodePiece[], theme: Theme): string {
  return coloured(line, theme).reduce((drawn, { text, look }) => drawn + look(text), "");
}

/** The end of the lines from an index that together have at most this many characters; at least one line. */
function endOfLines(lines: readonly string[], start: number, characters: number): number {
  let end = start;
  for (let room = characters; end < lines.length; end++) {
    room -= lengthOf(lines.slice(end, end + 1));
    if (room < 0) break;
  }
  return Math.max(end, start + 1);
}

/** The start of the lines before an index that together have at most this many characters. */
function startOfLines(lines: readonly string[], end: number, characters: number): number {
  let start = end;
  for (let room = characters; start > 0; start--) {
    room -= lengthOf(lines.slice(start - 1, start));
    if (room < 0) break;
  }
  return start;
}

/** A line counts with its end. */
function lengthOf(lines: readonly string[]): number {
  return lines.reduce((length, line) => length + line.length + 1, 0);
}

/** Gives the pieces of a line their colours. */
export function coloured(line: readonly CodePiece[], theme: Theme): CodePart[] {
  const looks = looksOf(theme);
  return line.map(({ text, kind }) => ({ text, look: kind ? looks[kind] : same }));
}

/** Reads code line by line; undefined for an unknown language. */
export function codePieces(toHtml: ToHtml, code: string, language: string): CodePiece[][] | undefined {
  const html = code.length <= maxHighlighted ? toHtml(code, language) : undefined;
  if (html === undefined) return undefined;
  const lines: CodePiece[][] = [[]];
  for (const { text, ...kind } of piecesOf(html)) {
    for (const [index, piece] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (piece !== "") lines.at(-1)?.push({ text: piece, ...kind });
    }
  }
  return lines;
}

const token = /<span class="([^"]*)">|<\/span>|[^<]+/g;
const entity = /&(amp|lt|gt|quot|#x27);/g;
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** Spans that have the colour of the span around them; `language-css` is CSS in HTML. */
const colourless = /^(?:language-.*|hljs-(?:subst|params))$/;

/** Reads the highlighter's HTML, which has only spans and five entities. */
function piecesOf(html: string): CodePiece[] {
  const open: string[] = [];
  const pieces: CodePiece[] = [];
  for (const [whole, name] of html.matchAll(token)) {
    if (name !== undefined) open.push(name);
    else if (whole === "</span>") open.pop();
    else {
      const text = whole.replace(entity, (_, key: string) => entities[key] ?? "");
      const kind = kindOf(open);
      pieces.push(kind ? { text, kind } : { text });
    }
  }
  return pieces;
}

const same = (text: string) => text;

function looksOf({ style }: Theme): Readonly<Record<CodeKind, (text: string) => string>> {
  return {
    comment: style.dim,
    keyword: style.magenta,
    string: style.green,
    number: style.yellow,
    deletion: style.red,
    title: style.blue,
    type: style.cyan,
  };
}

/** The kinds by the highlighter's names. */
const kinds: Readonly<Record<string, CodeKind>> = {
  ...{ comment: "comment", quote: "comment", meta: "comment" },
  ...{ keyword: "keyword", "selector-tag": "keyword", doctag: "keyword" },
  ...{ string: "string", regexp: "string", addition: "string", symbol: "string" },
  ...{ number: "number", literal: "number", bullet: "number" },
  ...{ title: "title", section: "title", name: "title", deletion: "deletion" },
  ...{ built_in: "type", type: "type", attr: "type", attribute: "type", property: "type" },
  ...{ "selector-class": "type", "selector-id": "type" },
};

/** The kind of a text in these spans. */
function kindOf(open: readonly string[]): CodeKind | undefined {
  const [name = "", part] = (open.findLast((one) => !colourless.test(one)) ?? "").replace("hljs-", "").split(" ");
  return name === "title" && part?.startsWith("class") ? "type" : kinds[name];
}
