import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { imageTypeOf, maxImageBytes as maxAnsweredBytes } from "@ikigai/protocol";
import { makePrivateDirectory, readRegularFile } from "@ikigai/system";
import { type Image, type ToolMessage, type UserMessage, withLeftOut } from "../model/message.ts";
import { filesDir, isKeptFile } from "./beside-log.ts";
import type { KeptImage } from "./session-event.ts";
import type { SessionLog } from "./session-log.ts";

/** File extensions by media type. Other images are not sent: no provider accepts them. */
const extensions: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
};

/** Saves images beside the log, which contains only their names. An image that cannot be saved is missing after a resume. */
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

/** Makes a message with its images, and says how many of them are missing. */
export function withKeptImages(
  logPath: string,
  named: readonly KeptImage[] = [],
  make: (images: readonly Image[]) => UserMessage | ToolMessage,
): UserMessage | ToolMessage {
  const images = readImages(logPath, named);
  return withLeftOut(make(images), named.length - images.length);
}

/** Reads the images that a log names: only those that its session keeps, whatever the log says about them. */
function readImages(logPath: string, kept: readonly KeptImage[]): Image[] {
  return kept.flatMap(({ path }) => {
    if (!isKeptFile(logPath, path)) return [];
    try {
      return toImage(readRegularFile(path, maxAnsweredBytes), maxAnsweredBytes) ?? [];
    } catch {
      return [];
    }
  });
}

/** Maximum size of a user's image, in bytes: the smallest limit of any provider. */
export const maxImageBytes = 5 * 1_000_000;

/** Returns the image in a file's bytes; `undefined` if it is not an image for models. */
export function toImage(bytes: Buffer, maxBytes = maxImageBytes): Image | undefined {
  const mediaType = bytes.length > maxBytes ? undefined : imageTypeOf(bytes);
  return mediaType === undefined ? undefined : { mediaType, data: bytes.toString("base64") };
}
