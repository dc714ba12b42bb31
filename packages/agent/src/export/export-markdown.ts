import type { ShownVisual } from "../model/shown-visual.ts";
import type { Conversation } from "../session/conversation.ts";
import { readTranscript, type TranscriptEntry } from "./transcript.ts";

/**
 * Exports a session as Markdown.
 *
 * @throws the system's error if the session cannot be read; AgentError `session_not_saved`.
 */
export function exportMarkdown(conversation: Conversation): string {
  const { id, cwd, startedAt, entries } = readTranscript(conversation);
  const head = `# Session ${id}\n\nStarted ${startedAt} in \`${cwd}\`\n`;
  return `${[head, ...entries.map(toMarkdown)].join("\n")}`;
}

function toMarkdown(entry: TranscriptEntry): string {
  switch (entry.type) {
    case "user": {
      return `## You\n\n${quote(entry.text)}\n${imagesNote(entry)}`;
    }
    case "answer":
      return `## ${entry.model}\n\n${entry.text}\n`;
    case "call": {
      const result = entry.result === undefined ? "(no result)\n" : fence(entry.result, "text");
      return `### ${entry.name}\n\n${fence(entry.arguments, "json")}\n${result}${imagesNote(entry)}${entry.visuals.map(visualText).join("")}`;
    }
    default:
      return entry satisfies never;
  }
}

/** What the user saw, as text. */
function visualText(visual: ShownVisual): string {
  return `\n${visual.type === "diff" ? fence(visual.text.trimEnd(), "diff") : `${quote(visual.alt)}\n`}`;
}

function imagesNote({ images }: { readonly images: number }): string {
  return images > 0 ? `\n(${images} image${images === 1 ? "" : "s"})\n` : "";
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
