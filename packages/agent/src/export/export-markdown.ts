import { isDocument, type ShownVisual } from "@ikigai/models";
import { showInvisible } from "@ikigai/system";
import type { Conversation } from "../session/conversation.ts";
import type { KeptImage } from "../session/session-event.ts";
import { callEnding, endText, printedText, readTranscript, type TranscriptEntry } from "./transcript.ts";

/**
 * Exports a session as Markdown. Characters that control a terminal or hide in a text are shown as signs: the file is made to be read.
 *
 * @throws the system's error if the session cannot be read; AgentError `session_not_saved`.
 */
export function exportMarkdown(conversation: Conversation): string {
  const { id, cwd, startedAt, entries } = readTranscript(conversation);
  const head = `# Session ${id}\n\nStarted ${startedAt} in \`${cwd}\`\n`;
  return showInvisible([head, ...entries.flatMap(toMarkdown)].join("\n").replaceAll("\r\n", "\n"));
}

function toMarkdown(entry: TranscriptEntry): string | [] {
  switch (entry.type) {
    case "user": {
      return `## You\n\n${quote(entry.text)}\n${imagesNote(entry)}`;
    }
    case "answer":
      return `## ${entry.model}\n\n${entry.text}\n`;
    case "call": {
      const { name, arguments: args, json } = entry.call;
      const result = json === undefined ? "(no result)\n" : fence(printedText({ json }), "text");
      const how = callEnding(entry.call);
      return `### ${name}\n\n${fence(args, "json")}\n${result}${how === undefined ? "" : `\n*${how}*\n`}${imagesNote(entry)}${entry.visuals.map(visualText).join("")}`;
    }
    case "thought":
      return [];
    case "end":
      return `*${endText(entry)}*\n`;
    default:
      return entry satisfies never;
  }
}

/** What the user saw, as text. */
function visualText(visual: ShownVisual): string {
  return `\n${visual.type === "diff" ? fence(visual.text.trimEnd(), "diff") : `${quote(visual.alt)}\n`}`;
}

function imagesNote({ images }: { readonly images: readonly KeptImage[] }): string {
  const documents = images.filter(isDocument).length;
  const counts = { image: images.length - documents, document: documents };
  const notes = Object.entries(counts).map(([name, count]) =>
    count === 0 ? "" : `\n(${count} ${name}${count === 1 ? "" : "s"})\n`,
  );
  return notes.join("");
}

/** The user's text is quoted, so that its Markdown does not affect the document. */
function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");
}

/** A code block whose fence is longer than any in the text. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${text}\n${ticks}\n`;
}
