import { isUtf8 } from "node:buffer";
import { resolve } from "node:path";
import { imageTypeOf, maxImageBytes } from "@ikigai/protocol";
import { imageSize, shellWord } from "@ikigai/system";
import type { RegularFile } from "@ikigai/tool-files";
import { ToolFailure } from "@ikigai/tool-sdk";
import { inUnits, isOnPath } from "./binary-file.ts";
import { readRange } from "./read-lines.ts";

/*
 * A picture is an answer with `images`, which the host sends to the model, and one sentence about it. The file's content decides, not
 * its name.
 */

/** How much of a file tells a picture from a text that begins like one, in bytes. */
const beginningBytes = 8_192;

const kinds = { "image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WebP" } as const;

/** Reads a picture; `undefined` for any other file. @throws ToolFailure `IMAGE_TOO_LARGE` */
export function readPicture(path: string, { fd, stats }: RegularFile) {
  const beginning = readRange(fd, { start: 0, end: beginningBytes });
  const mimeType = imageTypeOf(beginning);
  if (mimeType === undefined || (isUtf8(beginning) && !beginning.includes(0))) return undefined;
  const bytes = Number(stats.size);
  if (bytes > maxImageBytes) throw tooLarge(path, bytes);
  const size = imageSize(readRange(fd, { start: 0, end: bytes }));
  // A provider would reject every later request with it.
  if (size === undefined) return undefined;
  const parts = [`${kinds[mimeType]} image`, `${size.width} × ${size.height}`, inUnits(bytes)];
  return { output: parts.join(", "), lines_read: 0, images: [{ path: resolve(path), mime_type: mimeType }] };
}

/** What makes a picture smaller, by the program's name. */
const shrinkers: Readonly<Record<string, (file: string) => string>> = {
  magick: (file) => `magick ${file} -resize '1568x1568>' -quality 85 /tmp/smaller.jpg`,
  convert: (file) => `convert ${file} -resize '1568x1568>' -quality 85 /tmp/smaller.jpg`,
  ffmpeg: (file) => `ffmpeg -i ${file} -vf scale=1568:-1 /tmp/smaller.jpg`,
  sips: (file) => `sips -Z 1568 -s format jpeg ${file} --out /tmp/smaller.jpg`,
};

function tooLarge(path: string, bytes: number): ToolFailure<"IMAGE_TOO_LARGE"> {
  const found = Object.keys(shrinkers).find(isOnPath);
  const command = found === undefined ? undefined : shrinkers[found]?.(shellWord(path));
  const hint = command
    ? `To make it smaller: ${command}`
    : `No program to make it smaller is on the PATH (${Object.keys(shrinkers).join(", ")}).`;
  const limit = `at most ${maxImageBytes / 1_048_576} MiB can be shown`;
  const text = `The image has ${inUnits(bytes)}; ${limit}: ${path}`;
  return new ToolFailure<"IMAGE_TOO_LARGE">("IMAGE_TOO_LARGE", text, { hint });
}
