import type { renderMarkdown } from "../pi-tui/markdown.ts";

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
