import type { ChartVisual, DiffVisual, ImageVisual, RefusedVisual, TableVisual } from "@ikigai/protocol";

/** An image that can be drawn. */
export interface ShownImage extends ImageVisual {
  /** For instance `image/png`. */
  readonly mediaType: string;
  /** The width in pixels. */
  readonly width: number;
  /** The height in pixels. */
  readonly height: number;
  /** The hash of the file, in hexadecimal digits. */
  readonly sha256: string;
  /** The file; absent if it could not be read again, or has changed since. */
  readonly bytes?: Buffer;
}

/** Something that is drawn for the user, or what replaces it. */
export type ShownVisual = TableVisual | DiffVisual | ChartVisual | ShownImage | RefusedVisual;

/** A visual as the log has it: of an image only the path and the SHA-256. */
export function toKept(visual: ShownVisual): ShownVisual {
  if (visual.type !== "image") return visual;
  const { bytes, ...kept } = visual;
  return kept;
}
