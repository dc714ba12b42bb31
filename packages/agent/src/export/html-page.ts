import { createHash } from "node:crypto";
import { textStart } from "@ikigai/protocol";
import { type CallDescription, callHtml, imagesHtml, plainDescription } from "./call-html.ts";
import { escapeHtml, escapeOutput, type ReadCode } from "./code-html.ts";
import { markdownRenderer } from "./markdown-html.ts";
import { pageScript, pageStyle } from "./page-assets.ts";
import { endText, type PastCall, type Transcript, type TranscriptEntry } from "./transcript.ts";

/** What a program knows about the session's tools and about code. All of it is optional. */
export interface ExportOptions {
  /** Describes a call; without it, its arguments do. */
  readonly describe?: (call: PastCall) => CallDescription;
  /** Reads the code of answers for its colours. */
  readonly readCode?: ReadCode;
  /** Shows a formula in LaTeX as text; undefined for one that it cannot read. */
  readonly readFormula?: (latex: string) => string | undefined;
}

/** The page of a session: see `exportHtml`. */
export async function htmlPage(
  transcript: Transcript,
  { describe = plainDescription, readCode, readFormula }: ExportOptions,
): Promise<string> {
  const render = await markdownRenderer({ readCode, readFormula });
  const title = titleOf(transcript);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escapeHtml(title)}</title>
<style>${pageStyle}
</style>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1>
<p class="facts">${factsOf(transcript).map(escapeHtml).join(" · ")}</p></header>
<form role="search" hidden><input type="search" placeholder="Search" aria-label="Search the session"><output></output><button type="button">Unfold all</button></form>
<main>
${entriesHtml(transcript, { describe, render })}
</main>
<script>${pageScript}</script>
</body>
</html>
`;
}

const policy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  `script-src 'sha256-${createHash("sha256").update(pageScript).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

type Render = (markdown: string) => string;

/** The first line of what the user said first. */
function titleOf({ id, entries }: Transcript): string {
  const first =
    entries
      .find((entry) => entry.type === "user")
      ?.text.trim()
      .split("\n", 1)[0] ?? "";
  return first === "" ? `Session ${id}` : textStart(first, 100);
}

function factsOf({ id, cwd, startedAt, entries }: Transcript): string[] {
  const models = new Set(entries.flatMap((entry) => (entry.type === "answer" ? [entry.model] : [])));
  const calls = entries.filter(({ type }) => type === "call").length;
  return [minuteOf(startedAt), cwd, ...models, calls === 1 ? "1 call" : `${calls} calls`, `session ${id}`];
}

/** A log's time, to the minute. */
function minuteOf(time: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(time) ? `${time.slice(0, 16).replace("T", " ")} UTC` : "";
}

interface Parts {
  readonly describe: (call: PastCall) => CallDescription;
  readonly render: Render;
}

function entriesHtml({ entries }: Transcript, parts: Parts): string {
  let turn = 0;
  let model = "";
  return entries
    .map((entry) => {
      if (entry.type === "user") turn++;
      // The model is named where it is another one.
      const isOther = entry.type === "answer" && entry.model !== model;
      if (isOther) model = entry.model;
      return entryHtml(entry, { ...parts, turn, isOther });
    })
    .join("\n");
}

function entryHtml(
  entry: TranscriptEntry,
  { describe, render, turn, isOther }: Parts & { readonly turn: number; readonly isOther: boolean },
): string {
  switch (entry.type) {
    case "user": {
      const link = `<a href="#turn-${turn}">${turn}</a> ${escapeHtml(minuteOf(entry.time))}`;
      return `<section class="user" id="turn-${turn}"><div class="who">${link}</div><div class="said">${escapeOutput(entry.text)}</div>${imagesHtml(entry.images)}</section>`;
    }
    case "answer": {
      const who = isOther ? `<div class="who">${escapeHtml(entry.model)}</div>\n` : "";
      return `<section class="answer">${who}${render(entry.text)}</section>`;
    }
    case "thought":
      return `<details><summary><span class="who">thought</span></summary><div class="thought">${escapeOutput(entry.text.trim())}</div></details>`;
    case "call":
      return callHtml(entry, describe);
    case "end":
      return `<p class="end">${escapeOutput(endText(entry))}</p>`;
    default:
      return entry satisfies never;
  }
}
