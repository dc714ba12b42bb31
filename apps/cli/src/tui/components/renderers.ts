import type { PaintChange } from "../../render/file-change.ts";
import type { renderMarkdown } from "../pi-tui/markdown.ts";
import type { Theme } from "../pi-tui/theme.ts";
import type { ToHtml } from "./highlight.ts";
import type { changePainter } from "./paint-change.ts";

/** The renderers of answers and changes. They are large, so they are loaded only for the first one. */
export interface Renderers {
  readonly markdown: typeof renderMarkdown;
  readonly changePainter: typeof changePainter;
  readonly toHtml: ToHtml;
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
  const [{ renderMarkdown: markdown }, { changePainter }, { HighlightJS: hljs }] = await Promise.all([
    import("../pi-tui/markdown.ts"),
    import("./paint-change.ts"),
    import("ikigai:highlighter"),
  ]);
  const toHtml: ToHtml = (code, language) => {
    return hljs.getLanguage(language) ? hljs.highlight(code, { language, ignoreIllegals: true }).value : undefined;
  };
  loaded = { markdown, changePainter, toHtml };
}

let painter: { readonly theme: Theme; readonly paint: PaintChange } | undefined;

/** What colours changes to files; undefined until the renderers are loaded. */
export function changePaint(theme: Theme): PaintChange | undefined {
  if (!loaded) return undefined;
  if (painter?.theme !== theme) painter = { theme, paint: loaded.changePainter(theme, loaded.toHtml) };
  return painter.paint;
}
