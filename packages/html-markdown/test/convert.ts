import { htmlToMarkdown } from "../src/index.ts";

/** The Markdown of a piece of a page at `https://h.example/docs/page`. */
export function convert(html: string): string {
  return htmlToMarkdown(html, "https://h.example/docs/page").markdown;
}
