// Exports a session for people. A separate entry, so that programs load it only when they need it.

export { exportHtml } from "./export/export-html.ts";
export { exportMarkdown } from "./export/export-markdown.ts";
