import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Image, maxImageBytes, toImage } from "@ikigai/agent/internal";
import { fileSize } from "../render/times-and-sizes.ts";

const imageName = /\.(?:png|jpe?g|gif|webp)$/i;

/** The images of a message. */
export interface MentionedImages {
  readonly images: readonly Image[];
  /** Why others are not attached, one sentence each. */
  readonly problems: readonly string[];
}

/** Reads the images that a message mentions with `@`. */
export function imagesIn(text: string, projectDir: string): MentionedImages {
  const images: Image[] = [];
  const problems: string[] = [];
  for (const [, quoted, plain] of text.matchAll(/(?:^|\s)@(?:"([^"]+)"|(\S+))/g)) {
    const path = quoted ?? plain ?? "";
    if (!imageName.test(path)) continue;
    const found = readImage(resolve(projectDir, path));
    if ("problem" in found) problems.push(`${path} is not attached: ${found.problem}.`);
    else images.push(found);
  }
  return { images, problems };
}

/** Reads an image; `problem` is the end of a sentence that says why it cannot. */
function readImage(path: string): Image | { readonly problem: string } {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return { problem: "it is not a regular file" };
    if (stats.size > maxImageBytes) {
      return { problem: `it is ${fileSize(stats.size)}, and the limit is ${fileSize(maxImageBytes)}` };
    }
    return toImage(readFileSync(path)) ?? { problem: "it is not a PNG, JPEG, GIF or WebP image" };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { problem: code === "ENOENT" ? "no such file" : message };
  }
}

/**
 * Turns a pasted image path into a mention; terminals paste the path of a file that is dropped onto them. Undefined for any other
 * text.
 */
export function pastedImage(pasted: string): string | undefined {
  const text = pasted.trim();
  if (!imageName.test(text.replace(/['"]$/, "")) || text.includes("\n")) return undefined;
  const path = text.startsWith("file://")
    ? fromUrl(text)
    : text.replace(/^(['"])(.*)\1$/, "$2").replace(/\\(.)/g, "$1");
  if (!path?.startsWith("/") || "problem" in readImage(path)) return undefined;
  return /\s/.test(path) ? `@"${path}" ` : `@${path} `;
}

function fromUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
