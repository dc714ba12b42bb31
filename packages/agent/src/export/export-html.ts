import type { Conversation } from "../session/conversation.ts";
import type { ExportOptions } from "./html-page.ts";
import { readTranscript } from "./transcript.ts";

/**
 * Exports a session as one HTML file for people. It loads nothing, and whatever the session contains, it runs nothing but its own
 * search: the page's policy allows only that script, by its SHA-256.
 *
 * @throws the system's error if the session cannot be read; AgentError `session_not_saved`.
 */
export async function exportHtml(conversation: Conversation, options: ExportOptions = {}): Promise<string> {
  const transcript = readTranscript(conversation);
  // Large, and rarely needed.
  const { htmlPage } = await import("./html-page.ts");
  return htmlPage(transcript, options);
}
