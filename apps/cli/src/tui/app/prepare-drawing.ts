import type { ShownVisual } from "@ikigai/agent/internal";
import type { Drawing } from "../components/drawings.ts";
import { loadVisualRenderer } from "../components/visual-renderer.ts";
import type { Tui } from "./tui.ts";

/** Rows that an image leaves for the editor and the footer. */
const otherRows = 6;

/** As `prepareDrawing`, for the visuals of a log, whose images are read again. */
export async function prepareLogged(tui: Tui, logged: readonly ShownVisual[]): Promise<Drawing> {
  const { readLoggedImages } = await loadVisualRenderer();
  return prepareDrawing(tui, readLoggedImages(logged));
}

/** Loads what draws visuals; the first image asks the terminal whether it takes images. */
export async function prepareDrawing(tui: Tui, visuals: readonly ShownVisual[]): Promise<Drawing> {
  const hasImage = visuals.some((visual) => visual.type === "image" && visual.bytes);
  const [{ drawVisuals, maxConversationLines, placeImage }, protocol] = await Promise.all([
    loadVisualRenderer(),
    hasImage ? tui.images.protocol() : undefined,
  ]);
  return (look) => {
    const rows = Math.max(1, tui.surface.rows - otherRows);
    return drawVisuals(visuals, look, {
      maxLines: maxConversationLines,
      key: "ctrl-o",
      ...(protocol && { place: (image, columns) => placeImage(image, protocol, { columns, rows }) }),
    });
  };
}
