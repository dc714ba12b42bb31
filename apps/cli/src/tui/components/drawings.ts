import type { ShownVisual } from "@ikigai/agent/internal";
import type { Look } from "../../render/line-output.ts";
import type { DrawnLine } from "../../render/visual/picture.ts";

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
