// Exports a session for people, as Markdown or as one HTML page. A separate entry, so that programs load it only when they need it.
import type { Conversation } from "./conversation.ts";
import type { ExportOptions } from "./export/page.ts";
import { markdownOf, readTranscript, transcriptOf } from "./export/transcript.ts";
import { dataElement, type StoredSession } from "./manage.ts";

export type { ChangedLine, CodeKind, CodePiece, ReadCode } from "./export/markdown-html.ts";
export type { CallDescription, ExportOptions } from "./export/page.ts";
export { type Replaced, redactSession, type Sharer } from "./export/redact.ts";
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

/** A session without files of its own, as Markdown. */
export function storedMarkdown(session: StoredSession): string {
  return markdownOf(transcriptOf(session, () => false));
}

/** A session without files of its own as one page, which `importSession` reads again. */
export async function sharedPage(session: StoredSession, options: ExportOptions = {}): Promise<string> {
  const { htmlPage } = await import("./export/page.ts");
  return htmlPage(
    transcriptOf(session, () => false),
    options,
    dataElement(session),
  );
}
