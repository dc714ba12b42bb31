export { type ConvertedPage, htmlToMarkdown } from "./html-to-markdown.ts";
export { withoutInvisible } from "./invisible.ts";
