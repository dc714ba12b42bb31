import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { type Image, toImage } from "@ikigai/agent";

const imageName = /\.(?:png|jpe?g|gif|webp)$/i;

/** A larger file is not looked at, in bytes. */
const maxBytes = 20_000_000;

/** The images that a message mentions behind `@`. */
export function imagesIn(text: string, projectDir: string): Image[] {
  const mentions = [...text.matchAll(/(?:^|\s)@(?:"([^"]+)"|(\S+))/g)].map(
    ([, quoted, plain]) => quoted ?? plain ?? "",
  );
  return mentions.flatMap((path) => (imageName.test(path) ? (readImage(resolve(projectDir, path)) ?? []) : []));
}

function readImage(path: string): Image | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() && stats.size <= maxBytes ? toImage(readFileSync(path)) : undefined;
  } catch {
    return undefined;
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
  if (!path?.startsWith("/") || !readImage(path)) return undefined;
  return /\s/.test(path) ? `@"${path}" ` : `@${path} `;
}

function fromUrl(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}
