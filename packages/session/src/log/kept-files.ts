// The files that a log names, such as images: kept beside it by their SHA-256, and put back into messages.

import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type Image,
  type ShownImage,
  type ShownVisual,
  type ToolMessage,
  type UserMessage,
  withLeftOut,
} from "@ikigai/models";
import {
  documentTypeOf,
  type ImageVisual,
  imageTypeOf,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxImageBytes as maxAnsweredBytes,
  maxDocumentBytes,
  maxVisualPixels,
  type RefusedVisual,
  readVisual,
} from "@ikigai/protocol";
import { imageSize, makePrivateDirectory, readRegularFile } from "@ikigai/system";
import type { KeptImage } from "./events.ts";
import { filesDir, isKeptFile, type SessionLog } from "./log.ts";

/** File extensions by media type. Other files are not sent: no provider accepts them. */
const extensions: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "application/pdf": "pdf",
};

/** Saves images and documents beside the log, which contains only their names. An image that cannot be saved is missing after a resume. */
export function keepImages(log: SessionLog, images: readonly Image[]): KeptImage[] {
  const { path: logPath } = log;
  if (logPath === undefined) return [];
  return images.flatMap(({ mediaType, data }) => {
    const name = `${randomBytes(8).toString("hex")}.${extensions[mediaType] ?? "bin"}`;
    const path = join(filesDir(logPath), name);
    try {
      makePrivateDirectory(dirname(path));
      writeFileSync(path, Buffer.from(data, "base64"), { mode: 0o600, flag: "wx" });
      return [{ mediaType, path }];
    } catch {
      return [];
    }
  });
}

/** Makes a message with its images and documents, and says how many of them are missing. */
export function withKeptImages(
  logPath: string,
  named: readonly KeptImage[] = [],
  make: (images: readonly Image[]) => UserMessage | ToolMessage,
): UserMessage | ToolMessage {
  const read = named.map((one) => [one, readImage(logPath, one)] as const);
  const missing = read.flatMap(([one, image]) => (image ? [] : [one]));
  return withLeftOut(make(read.flatMap(([, image]) => image ?? [])), missing);
}

/** Reads what a log names: only a file that its session keeps, whatever the log says about it. */
function readImage(logPath: string, { path }: KeptImage): Image | undefined {
  if (!isKeptFile(logPath, path)) return undefined;
  try {
    const bytes = readRegularFile(path, maxDocumentBytes);
    return toImage(bytes, maxAnsweredBytes) ?? toDocument(bytes);
  } catch {
    return undefined;
  }
}

/** Maximum size of a user's image, in bytes: the smallest limit of any provider. */
export const maxImageBytes = 5 * 1_000_000;

/** Returns the image in a file's bytes; `undefined` if it is not an image for models. */
export function toImage(bytes: Buffer, maxBytes = maxImageBytes): Image | undefined {
  const mediaType = bytes.length > maxBytes ? undefined : imageTypeOf(bytes);
  return mediaType === undefined ? undefined : { mediaType, data: bytes.toString("base64") };
}

/** Returns the document in a file's bytes; `undefined` if it is not a document for models. */
export function toDocument(bytes: Buffer): Image | undefined {
  const mediaType = bytes.length > maxDocumentBytes ? undefined : documentTypeOf(bytes);
  return mediaType === undefined ? undefined : { mediaType, data: bytes.toString("base64") };
}

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
    const bytes = readRegularFile(visual.path, maxAnsweredBytes);
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
