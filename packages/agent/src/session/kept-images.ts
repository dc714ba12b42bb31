import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makePrivateDirectory, readRegularFile } from "@ikigai/system";
import type { Image } from "../model/message.ts";
import { filesDir } from "./beside-log.ts";
import type { KeptImage } from "./session-event.ts";
import type { SessionLog } from "./session-log.ts";

/** What files an image's media type may have. Others are not sent: no provider takes them. */
const extensions: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
};

/** Writes images beside the log, which only names them. One that cannot be written is lost to those who resume. */
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

export function readImages(kept: readonly KeptImage[]): Image[] {
  return kept.flatMap(({ mediaType, path }) => {
    try {
      return [{ mediaType, data: readRegularFile(path).toString("base64") }];
    } catch {
      return [];
    }
  });
}

/** The largest image that is sent, in bytes: the least that a provider takes. */
export const maxImageBytes = 5 * 1_000_000;

/** Begins a file of each kind. */
const signatures: readonly { readonly mediaType: string; readonly pattern: RegExp }[] = [
  { mediaType: "image/png", pattern: /^\x89PNG\r\n/ },
  { mediaType: "image/jpeg", pattern: /^\xff\xd8\xff/ },
  { mediaType: "image/gif", pattern: /^GIF8[79]a/ },
  { mediaType: "image/webp", pattern: /^RIFF[\s\S]{4}WEBP/ },
];

/** An image out of a file's bytes; `undefined` when they are none that a model could look at. Its content decides. */
export function toImage(bytes: Buffer): Image | undefined {
  if (bytes.length > maxImageBytes) return undefined;
  const head = bytes.subarray(0, 16).toString("latin1");
  const kind = signatures.find(({ pattern }) => pattern.test(head));
  return kind && { mediaType: kind.mediaType, data: bytes.toString("base64") };
}
