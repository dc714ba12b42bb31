// What is loaded when the first call or answer needs it: the renderers of Markdown, of changes and of visuals.

import type { ShownVisual } from "@ikigai/models";
import type { DrawnLine, Look, Theme } from "@ikigai/screen";
import type * as sequences from "@ikigai/screen/image-sequence";
import type { renderMarkdown } from "@ikigai/screen/markdown";
import type * as drawing from "../../render/call/draw-visuals.ts";
import type { PaintChange } from "../../render/call/file-change.ts";
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
    import("@ikigai/screen/markdown"),
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

/** What draws the visuals of tools: few calls have any, so it is loaded for the first one. */
type VisualRenderer = Pick<
  typeof drawing & typeof sequences,
  "drawVisuals" | "maxConversationLines" | "placeImage" | "readLogged" | "readLoggedImages"
>;

let visualRenderer: VisualRenderer | undefined;

export async function loadVisualRenderer(): Promise<VisualRenderer> {
  if (visualRenderer) return visualRenderer;
  const [{ drawVisuals, maxConversationLines, readLogged, readLoggedImages }, { placeImage }] = await Promise.all([
    import("../../render/call/draw-visuals.ts"),
    import("@ikigai/screen/image-sequence"),
  ]);
  visualRenderer = { drawVisuals, maxConversationLines, placeImage, readLogged, readLoggedImages };
  return visualRenderer;
}

/** The renderer, once something has been drawn. */
export function loadedVisualRenderer(): VisualRenderer | undefined {
  return visualRenderer;
}

/** Draws what a tool shows, once all that is needed for it is loaded. */
export type Drawing = (look: Look) => readonly DrawnLine[];

/** Loads what draws some visuals. */
export type PrepareDrawing = (visuals: readonly ShownVisual[]) => Promise<Drawing>;

/** What is to be drawn, in order. */
interface Drawings {
  add(visuals: readonly ShownVisual[]): void;
  /** Draws what is ready, each once. */
  take(look: Look): DrawnLine[];
  /** Whether nothing waits for what draws it. */
  areReady(): boolean;
}

/** @param prepare absent: nothing is drawn. @param changed called when something is ready. */
export function createDrawings(prepare: PrepareDrawing | undefined, changed: () => void): Drawings {
  const waiting: { ready?: Drawing }[] = [];
  return {
    add(visuals) {
      if (visuals.length === 0 || !prepare) return;
      const one: (typeof waiting)[number] = {};
      waiting.push(one);
      void prepare(visuals).then((ready) => {
        one.ready = ready;
        changed();
      });
    },
    take(look) {
      const lines: DrawnLine[] = [];
      for (let ready = waiting[0]?.ready; ready; ready = waiting[0]?.ready) {
        lines.push(...ready(look));
        waiting.shift();
      }
      return lines;
    },
    areReady: () => waiting.every(({ ready }) => ready),
  };
}
