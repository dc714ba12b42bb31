import type { renderMarkdown } from "../pi-tui/markdown.ts";
import type { Theme } from "../pi-tui/theme.ts";

/** What answers are rendered with. It is large, and nobody needs it before there is an answer. */
export interface Renderers {
  readonly markdown: typeof renderMarkdown;
  /** Code as HTML; undefined for a language that is not known. */
  readonly highlight: (code: string, language: string) => string | undefined;
}

let loaded: Renderers | undefined;
let loading: Promise<void> | undefined;

export function loadRenderers(): Promise<void> {
  loading ??= load().catch((error: unknown) => {
    // A file that could not be read this time is read again the next time.
    loading = undefined;
    throw error;
  });
  return loading;
}

export function loadedRenderers(): Renderers | undefined {
  return loaded;
}

async function load(): Promise<void> {
  const [{ renderMarkdown: markdown }, { HighlightJS: hljs }] = await Promise.all([
    import("../pi-tui/markdown.ts"),
    import("ikigai:highlighter"),
  ]);
  const highlight: Renderers["highlight"] = (code, language) => {
    return hljs.getLanguage(language) ? hljs.highlight(code, { language, ignoreIllegals: true }).value : undefined;
  };
  loaded = { markdown, highlight };
}

/** Longer code is not coloured, in characters. */
const maxLength = 100_000;

/** Colours sanitised code, line by line. */
export function highlight(
  { highlight: toHtml }: Renderers,
  code: string,
  language: string | undefined,
  theme: Theme,
): string[] {
  const lines = code.split("\n");
  if (!language || code.length > maxLength) return lines;
  const html = toHtml(code, language);
  return html === undefined ? lines : toColours(html, theme).split("\n");
}

const token = /<span class="([^"]*)">|<\/span>|[^<]+/g;
const entity = /&(amp|lt|gt|quot|#x27);/g;
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** Spans whose text has the colour of what they stand in; `language-css` is CSS in HTML. */
const colourless = /^(?:language-.*|hljs-(?:subst|params))$/;

/** Reads the HTML that the highlighter makes: nothing but spans and five entities. */
function toColours(html: string, theme: Theme): string {
  const open: string[] = [];
  let text = "";
  for (const [whole, kind] of html.matchAll(token)) {
    if (kind !== undefined) open.push(kind);
    else if (whole === "</span>") open.pop();
    else text += colourOf(open, theme)(whole.replace(entity, (_, name: string) => entities[name] ?? ""));
  }
  return text;
}

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
      return (text) => text;
  }
}
