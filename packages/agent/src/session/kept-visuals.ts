import { createHash } from "node:crypto";
import {
  type ImageVisual,
  imageTypeOf,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxImageBytes,
  maxVisualPixels,
  type RefusedVisual,
  readVisual,
} from "@ikigai/protocol";
import { imageSize, readRegularFile } from "@ikigai/system";
import type { ShownImage, ShownVisual } from "../model/shown-visual.ts";

/** Makes an image of a file that was read. @param path its real path. */
export function toShownImage({ alt }: ImageVisual, path: string, bytes: Buffer): ShownImage | RefusedVisual {
  const refuse = (reason: string): RefusedVisual => ({ type: "refused", alt, reason });
  const mediaType = imageTypeOf(bytes);
  if (mediaType === undefined) return refuse("it is not a PNG, JPEG, GIF or WebP image");
  const size = imageSize(bytes);
  if (!size) return refuse("its header has no size");
  const { width, height } = size;
  if (Math.max(width, height) > maxVisualPixels) {
    return refuse(`it has ${width} x ${height} pixels; at most ${maxVisualPixels} x ${maxVisualPixels} are drawn`);
  }
  return { type: "image", path, alt, mediaType, sha256: hashOf(bytes), ...size, bytes };
}

/** Reads the visuals of a log or a message, which may contain anything. */
export function readKept(list: readonly unknown[]): ShownVisual[] {
  return list.flatMap((value) => (isJsonObject(value) ? [readOne(value)] : []));
}

function readOne(value: JsonObject): ShownVisual {
  if (value.type === "refused") return { type: "refused", alt: textOf(value.alt), reason: textOf(value.reason) };
  const visual = readVisual(value);
  if (visual.type !== "image") return visual;
  const { mediaType, sha256, width, height } = value;
  return typeof width === "number" && typeof height === "number"
    ? { ...visual, mediaType: textOf(mediaType), sha256: textOf(sha256), width, height }
    : { type: "refused", alt: visual.alt, reason: "the log does not have its size" };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Reads an image again, if the file is still the same. */
export function withBytes(visual: ShownVisual): ShownVisual {
  if (visual.type !== "image" || visual.bytes) return visual;
  try {
    const bytes = readRegularFile(visual.path, maxImageBytes);
    // The size of an unchanged file is known, but the log may say something else.
    const read = hashOf(bytes) === visual.sha256 ? toShownImage(visual, visual.path, bytes) : visual;
    return read.type === "image" ? read : visual;
  } catch {
    return visual;
  }
}

function hashOf(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
