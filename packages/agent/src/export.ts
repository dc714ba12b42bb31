// Exports a session for people. A separate entry, so that programs load it only when they need it.

export type { CallDescription } from "./export/call-html.ts";
export type { ChangedLine, CodeKind, CodePiece, ReadCode } from "./export/code-html.ts";
export { exportHtml } from "./export/export-html.ts";
export { exportMarkdown } from "./export/export-markdown.ts";
export type { ExportOptions } from "./export/html-page.ts";
export type { PastCall } from "./export/transcript.ts";
