import type * as drawing from "../../render/visual/draw-visuals.ts";
import type * as sequences from "../../render/visual/image-sequence.ts";

/** What draws the visuals of tools: few calls have any, so it is loaded for the first one. */
type VisualRenderer = Pick<
  typeof drawing & typeof sequences,
  "drawVisuals" | "maxConversationLines" | "placeImage" | "readLogged" | "readLoggedImages"
>;

let loaded: VisualRenderer | undefined;

export async function loadVisualRenderer(): Promise<VisualRenderer> {
  if (loaded) return loaded;
  const [{ drawVisuals, maxConversationLines, readLogged, readLoggedImages }, { placeImage }] = await Promise.all([
    import("../../render/visual/draw-visuals.ts"),
    import("../../render/visual/image-sequence.ts"),
  ]);
  loaded = { drawVisuals, maxConversationLines, placeImage, readLogged, readLoggedImages };
  return loaded;
}

/** The renderer, once something has been drawn. */
export function loadedVisualRenderer(): VisualRenderer | undefined {
  return loaded;
}
