import type { Theme } from "../pi-tui/theme.ts";

/** Highlights code as HTML; undefined for an unknown language. */
export type ToHtml = (code: string, language: string) => string | undefined;

/** Longer code is not highlighted, in characters. */
const maxLength = 100_000;

/** A piece of code that has one colour. */
export interface CodePart {
  readonly text: string;
  readonly look: (text: string) => string;
}

/** Highlights sanitised code, line by line. */
export function highlight(toHtml: ToHtml, code: string, language: string | undefined, theme: Theme): string[] {
  return codeParts(toHtml, code, language, theme).map((line) => line.map(({ text, look }) => look(text)).join(""));
}

/** As `highlight`, with each line in parts. */
export function codeParts(toHtml: ToHtml, code: string, language: string | undefined, theme: Theme): CodePart[][] {
  const html = language && code.length <= maxLength ? toHtml(code, language) : undefined;
  if (html === undefined) return code.split("\n").map((text) => [{ text, look: same }]);
  const lines: CodePart[][] = [[]];
  for (const { text, look } of partsOf(html, theme)) {
    for (const [index, piece] of text.split("\n").entries()) {
      if (index > 0) lines.push([]);
      if (piece !== "") lines.at(-1)?.push({ text: piece, look });
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
function partsOf(html: string, theme: Theme): CodePart[] {
  const open: string[] = [];
  const parts: CodePart[] = [];
  for (const [whole, kind] of html.matchAll(token)) {
    if (kind !== undefined) open.push(kind);
    else if (whole === "</span>") open.pop();
    else {
      const text = whole.replace(entity, (_, name: string) => entities[name] ?? "");
      parts.push({ text, look: colourOf(open, theme) });
    }
  }
  return parts;
}

const same = (text: string) => text;

function colourOf(open: readonly string[], theme: Theme): (text: string) => string {
  const kind = open.findLast((name) => !colourless.test(name));
  const [name = "", part] = (kind ?? "").replace("hljs-", "").split(" ");
  const { style } = theme;
  switch (name) {
    case "comment":
    case "quote":
    case "meta":
      return style.dim;
    case "keyword":
    case "selector-tag":
    case "doctag":
      return theme.magenta;
    case "string":
    case "regexp":
    case "addition":
    case "symbol":
      return style.green;
    case "number":
    case "literal":
    case "bullet":
      return style.yellow;
    case "deletion":
      return style.red;
    case "title":
      return part?.startsWith("class") ? style.cyan : theme.blue;
    case "section":
    case "name":
      return theme.blue;
    case "built_in":
    case "type":
    case "attr":
    case "attribute":
    case "property":
    case "selector-class":
    case "selector-id":
      return style.cyan;
    default:
      return same;
  }
}
