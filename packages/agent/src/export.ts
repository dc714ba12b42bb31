// Writes a session for people. An entry of its own, so that a program loads it only when somebody wants that.

export { exportHtml } from "./export/export-html.ts";
export { exportMarkdown } from "./export/export-markdown.ts";
