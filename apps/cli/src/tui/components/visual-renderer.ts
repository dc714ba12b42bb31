import type * as drawing from "../../render/visual/draw-visuals.ts";
import type * as sequences from "../../render/visual/image-sequence.ts";
import type * as logs from "../../render/visual/read-logged.ts";

/** What draws the visuals of tools: few calls have any, so it is loaded for the first one. */
export interface VisualRenderer {
  readonly drawVisuals: typeof drawing.drawVisuals;
  readonly maxLines: typeof drawing.maxConversationLines;
  readonly placeImage: typeof sequences.placeImage;
  readonly readLogged: typeof logs.readLogged;
  readonly readLoggedImages: typeof logs.readLoggedImages;
}

let loaded: VisualRenderer | undefined;

export async function loadVisualRenderer(): Promise<VisualRenderer> {
  if (loaded) return loaded;
  const [{ drawVisuals, maxConversationLines: maxLines }, { placeImage }, logged] = await Promise.all([
    import("../../render/visual/draw-visuals.ts"),
    import("../../render/visual/image-sequence.ts"),
    import("../../render/visual/read-logged.ts"),
  ]);
  loaded = { drawVisuals, maxLines, placeImage, ...logged };
  return loaded;
}

/** The renderer, once something has been drawn. */
export function loadedVisualRenderer(): VisualRenderer | undefined {
  return loaded;
}
