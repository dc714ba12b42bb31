import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Image, maxImageBytes, toImage } from "@ikigai/agent/internal";
import { fileSize } from "../render/age.ts";

const imageName = /\.(?:png|jpe?g|gif|webp)$/i;

/** What a message shows. */
export interface MentionedImages {
  readonly images: readonly Image[];
  /** Why others are not among them, a sentence each. */
  readonly problems: readonly string[];
}

/** The images that a message mentions behind `@`. */
export function imagesIn(text: string, projectDir: string): MentionedImages {
  const images: Image[] = [];
  const problems: string[] = [];
  for (const [, quoted, plain] of text.matchAll(/(?:^|\s)@(?:"([^"]+)"|(\S+))/g)) {
    const path = quoted ?? plain ?? "";
    if (!imageName.test(path)) continue;
    const found = readImage(resolve(projectDir, path));
    if (typeof found === "string") problems.push(`${path} is not attached: ${found}.`);
    else images.push(found);
  }
  return { images, problems };
}

/** An image, or why there is none. */
function readImage(path: string): Image | string {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return "it is no regular file";
    if (stats.size > maxImageBytes) return `it has ${fileSize(stats.size)}, and models take ${fileSize(maxImageBytes)}`;
    return toImage(readFileSync(path)) ?? "it is no PNG, JPEG, GIF or WebP image";
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? "there is no such file" : message;
  }
}

/**
 * A pasted text as a mention, when it is the path of an image: terminals paste that for a file that is dropped onto them.
 * Undefined for all else.
 */
export function pastedImage(pasted: string): string | undefined {
  const text = pasted.trim();
  if (!imageName.test(text.replace(/['"]$/, "")) || text.includes("\n")) return undefined;
  const path = text.startsWith("file://")
    ? fromUrl(text)
    : text.replace(/^(['"])(.*)\1$/, "$2").replace(/\\(.)/g, "$1");
  if (!path?.startsWith("/") || typeof readImage(path) === "string") return undefined;
  return /\s/.test(path) ? `@"${path}" ` : `@${path} `;
}

function fromUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
