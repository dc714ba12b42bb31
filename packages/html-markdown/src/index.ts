export { type ConvertedPage, htmlToMarkdown } from "./html-to-markdown.ts";
