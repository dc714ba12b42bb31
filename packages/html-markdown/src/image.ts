import { withoutInvisible } from "@ikigai/system";
import { anything, escapeText } from "./escape-text.ts";
import type { LinkTargets } from "./link-targets.ts";
import type { Attributes } from "./page.ts";

/** An image as Markdown; only its description if its address is not one to fetch, and nothing without a description. */
export function imageOf(attributes: Attributes, targets: LinkTargets): string {
  const description = withoutInvisible(attributes.get("alt") ?? "")
    .text.replace(/\s+/g, " ")
    .trim();
  if (description === "") return "";
  const alt = escapeText(description, { before: anything, after: anything, isInBrackets: true, isFirst: false });
  // Pages that load images late have a placeholder in src.
  const sources = [attributes.get("src"), attributes.get("data-src")];
  for (const source of sources) {
    const url = source && targets.resolve(source);
    if (url && !url.startsWith("mailto:") && targets.take(url)) return `![${alt}](${url})`;
  }
  return alt;
}
