// Exports a session for people, as Markdown or as one HTML page. A separate entry, so that programs load it only when they need it.
import type { Conversation } from "./conversation.ts";
import type { ExportOptions } from "./export/page.ts";
import { readTranscript } from "./export/transcript.ts";

export type { ChangedLine, CodeKind, CodePiece, ReadCode } from "./export/markdown-html.ts";
export type { CallDescription, ExportOptions } from "./export/page.ts";
export { exportMarkdown, type PastCall } from "./export/transcript.ts";

/**
 * Exports a session as one HTML file for people. It loads nothing, and whatever the session contains, it runs nothing but its own
 * search: the page's policy allows only that script, by its SHA-256.
 *
 * @throws the system's error if the session cannot be read; AgentError `session_not_saved`.
 */
export async function exportHtml(conversation: Conversation, options: ExportOptions = {}): Promise<string> {
  const transcript = readTranscript(conversation);
  // Large, and rarely needed.
  const { htmlPage } = await import("./export/page.ts");
  return htmlPage(transcript, options);
}
