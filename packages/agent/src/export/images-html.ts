import { imageTypeOf, maxImageBytes } from "@ikigai/protocol";
import { readRegularFile } from "@ikigai/system";
import type { KeptImage } from "../session/session-event.ts";
import { escapeHtml } from "./escape-html.ts";

/** Images of a session as parts of the page; a sentence for one that can no longer be read. */
export function imagesHtml(images: readonly KeptImage[]): string {
  return images.map(({ path }, index) => imageHtml(path, index + 1)).join("\n");
}

function imageHtml(path: string, number: number): string {
  try {
    const bytes = readRegularFile(path, maxImageBytes);
    const mediaType = imageTypeOf(bytes);
    if (mediaType === undefined) return missing(number, "it is not a PNG, JPEG, GIF or WebP image");
    return `<figure><img alt="image ${number}" src="data:${mediaType};base64,${bytes.toString("base64")}"></figure>`;
  } catch {
    return missing(number, "its file cannot be read");
  }
}

function missing(number: number, reason: string): string {
  return `<p class="who">${escapeHtml(`Image ${number} is missing: ${reason}.`)}</p>`;
}
