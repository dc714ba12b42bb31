import type { renderMarkdown } from "../pi-tui/markdown.ts";
import type { Theme } from "../pi-tui/theme.ts";

/** The renderers of answers. They are large, so they are loaded only for the first answer. */
export interface Renderers {
  readonly markdown: typeof renderMarkdown;
  /** Code as HTML; undefined for an unknown language. */
  readonly highlight: (code: string, language: string) => string | undefined;
}

let loaded: Renderers | undefined;
let loading: Promise<void> | undefined;

export function loadRenderers(): Promise<void> {
  loading ??= load().catch((error: unknown) => {
    // The next call tries again.
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

/** Longer code is not highlighted, in characters. */
const maxLength = 100_000;

/** Highlights sanitised code, line by line. */
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

/** Spans that have the colour of the span around them; `language-css` is CSS in HTML. */
const colourless = /^(?:language-.*|hljs-(?:subst|params))$/;

/** Converts the highlighter's HTML, which has only spans and five entities. */
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
