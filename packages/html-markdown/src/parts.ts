import type { Attributes, Tag } from "./page.ts";

const boilerplateRoles = /^(?:navigation|search|banner|contentinfo|dialog|alertdialog)$/;

/**
 * Whether an element is left out of the main text.
 *
 * A header outside of `main`, `article` and `section` is the page's; inside it holds a heading and is kept. A footer inside a
 * quotation names its source.
 */
export function omissionOf(name: string, attributes: Attributes, isIn: (name: string) => boolean): Tag["omit"] {
  if (name === "nav" || name === "aside" || boilerplateRoles.test(attributes.get("role") ?? "")) return "boilerplate";
  if (name === "header" && !isIn("main") && !isIn("article") && !isIn("section")) return "boilerplate";
  if (name === "footer" && !isIn("blockquote")) return "boilerplate";
  return name === "form" ? "form" : undefined;
}
