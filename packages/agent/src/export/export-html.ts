import { textStart } from "@ikigai/protocol";
import type { Conversation } from "../session/conversation.ts";
import { escapeHtml } from "./escape-html.ts";
import { readTranscript, type TranscriptEntry } from "./transcript.ts";
import { visualHtml } from "./visual-html.ts";

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; }
pre { overflow-x: auto; padding: .75rem; border-radius: .5rem; background: color-mix(in srgb, currentColor 8%, transparent); }
pre, code { font: 14px/1.45 ui-monospace, monospace; }
section { margin: 1.5rem 0; }
.user { border-left: .25rem solid #6a5acd; padding-left: 1rem; white-space: pre-wrap; }
.who { font-size: .8rem; opacity: .7; }
summary { cursor: pointer; }
figure { margin: .75rem 0; overflow-x: auto; }
figcaption { font-size: .85rem; opacity: .8; white-space: pre-wrap; }
table { border-collapse: collapse; }
th, td { padding: .1rem .6rem; border-bottom: 1px solid color-mix(in srgb, currentColor 25%, transparent); text-align: left; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.added { color: #1a7f37; } .removed { color: #c93c37; }
img, svg { max-width: 100%; height: auto; }
svg text { font: 12px ui-monospace, monospace; fill: currentColor; }`;

/**
 * Exports a session as one HTML file that loads and runs nothing, whatever the session contains.
 *
 * @throws the system's error if the session cannot be read; AgentError `session_not_saved`.
 */
export async function exportHtml(conversation: Conversation): Promise<string> {
  const { default: MarkdownIt } = await import("markdown-it");
  // HTML in a response is shown as text; bare URLs do not become links.
  const markdown = new MarkdownIt({ html: false, linkify: false }).disable("image");
  const { id, cwd, startedAt, entries } = readTranscript(conversation);
  const parts = entries.map((entry) => toHtml(entry, (text) => markdown.render(text)));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>${escapeHtml(`Session ${id}`)}</title>
<style>${style}
</style>
<h1>Session ${escapeHtml(id)}</h1>
<p class="who">Started ${escapeHtml(startedAt)} in <code>${escapeHtml(cwd)}</code></p>
${parts.join("\n")}
</html>
`;
}

function toHtml(entry: TranscriptEntry, render: (markdown: string) => string): string {
  switch (entry.type) {
    case "user": {
      return `<section class="user">${escapeHtml(entry.text)}${imagesNote(entry)}</section>`;
    }
    case "answer":
      return `<section><div class="who">${escapeHtml(entry.model)}</div>\n${render(entry.text)}</section>`;
    case "call": {
      const { name, arguments: args, result = "(no result)" } = entry;
      const shown = `<code>${escapeHtml(name)}</code> ${escapeHtml(textStart(args, 100))}${imagesNote(entry)}`;
      const drawn = entry.visuals.map(visualHtml).join("\n");
      return `<details><summary>${shown}</summary><pre>${escapeHtml(args)}</pre><pre>${escapeHtml(result)}</pre></details>${drawn}`;
    }
    default:
      return entry satisfies never;
  }
}

function imagesNote({ images }: { readonly images: number }): string {
  return images > 0 ? ` (${images} image${images === 1 ? "" : "s"})` : "";
}
