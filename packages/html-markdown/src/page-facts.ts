import { languageOfClass } from "./code-language.ts";
import type { Attributes } from "./page.ts";

export const maxTitleChars = 300;

/** Whether a script is run: others hold data. */
export function isJavaScript(attributes: Attributes): boolean {
  const type = attributes.get("type") ?? "";
  return type === "" || /javascript|ecmascript|module/i.test(type);
}

export function cleanTitle(title: string): string {
  return title
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, maxTitleChars)
    .toWellFormed();
}

/** Characters that are not white space. */
export function visibleLength(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 32) length += 1;
  return length;
}

/** Whether the writer reads an attribute of an element. */
export function hasReadAttributes(name: string, attributes: Attributes): boolean {
  if (attributes.size === 0) return false;
  return /^(?:a|ol|li|td|th|pre|code)$/.test(name) || languageOfClass(attributes) !== undefined;
}
