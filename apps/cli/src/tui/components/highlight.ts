import type { CodeKind, CodePiece } from "@ikigai/agent/export";
import type { Theme } from "../pi-tui/theme.ts";

/** Highlights code as HTML; undefined for an unknown language. */
export type ToHtml = (code: string, language: string) => string | undefined;

/**
 * Longer code on the screen has no colors, in characters. The library reads this much in about 2 ms (bench/highlight.mjs), so
 * that typing never waits for it.
 */
export const maxOnScreen = 4_000;

/** The same for a page that is exported. */
const maxOnPage = 100_000;

/** A piece of code that has one colour. */
export interface CodePart {
  readonly text: string;
  readonly look: (text: string) => string;
}

/** Highlights sanitised code on the screen, line by line. */
export function highlight(toHtml: ToHtml, code: string, language: string | undefined, theme: Theme): string[] {
  const isPlain = language === undefined || code.length > maxOnScreen;
  const lines = isPlain ? undefined : codePieces(toHtml, code, language);
  if (!lines) return code.split("\n");
  return lines.map((line) => coloured(line, theme).reduce((drawn, { text, look }) => drawn + look(text), ""));
}

/** Gives the pieces of a line their colours. */
export function coloured(line: readonly CodePiece[], theme: Theme): CodePart[] {
  const looks = looksOf(theme);
  return line.map(({ text, kind }) => ({ text, look: kind ? looks[kind] : same }));
}

/** Reads code line by line; undefined for an unknown language. */
export function codePieces(toHtml: ToHtml, code: string, language: string): CodePiece[][] | undefined {
  const html = code.length <= maxOnPage ? toHtml(code, language) : undefined;
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

function looksOf({ style, magenta, blue }: Theme): Readonly<Record<CodeKind, (text: string) => string>> {
  return {
    comment: style.dim,
    keyword: magenta,
    string: style.green,
    number: style.yellow,
    deletion: style.red,
    title: blue,
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
