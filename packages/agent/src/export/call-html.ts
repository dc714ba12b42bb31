import { isDocument } from "@ikigai/models";
import { imageTypeOf, maxImageBytes, textStart } from "@ikigai/protocol";
import { readRegularFile } from "@ikigai/system";
import type { KeptImage } from "../session/session-event.ts";
import { type ChangedLine, changeHtml, escapeHtml, escapeOutput } from "./code-html.ts";
import { callEnding, type PastCall, printedText, type TranscriptEntry } from "./transcript.ts";
import { visualHtml } from "./visual-html.ts";

/** How a call is described to people. */
export interface CallDescription {
  /** One line, for instance a shell command or a path. */
  readonly title: string;
  /** All arguments; empty if the title has them. */
  readonly details: string;
  /** What a finished call changed in a file. */
  readonly change?: readonly ChangedLine[];
}

/** Changes of up to this many lines are not folded. */
const maxOpenLines = 40;

/** A call in one line that unfolds, and below it what the tool showed. */
export function callHtml(
  { call, durationMs, images, visuals }: Extract<TranscriptEntry, { type: "call" }>,
  describe: (call: PastCall) => CallDescription,
): string {
  const { title, details, change = [] } = describe(call);
  const ending = callEnding(call);
  const hasChanged = change.length > 0 && ending === undefined;
  const facts = [
    hasChanged ? sizeHtml(change) : "",
    ending === undefined ? "" : `<span class="failed">${escapeHtml(ending)}</span>`,
    durationMs === undefined || durationMs <= 0 ? "" : `<span>${durationText(durationMs)}</span>`,
  ].filter((text) => text !== "");
  const summary = `<b>${escapeHtml(call.name)}</b> <code>${escapeOutput(title)}</code> <span class="who">${facts.join(" · ")}</span>`;
  const isOpen = hasChanged && change.length <= maxOpenLines;
  return [
    `<details class="call"${isOpen ? " open" : ""}><summary>${summary}</summary>`,
    ...(hasChanged ? [changeHtml(change)] : details === "" ? [] : [`<pre>${escapeOutput(details)}</pre>`]),
    `<pre>${escapeOutput(printedText(call))}</pre>`,
    `</details>${imagesHtml(images)}`,
    ...visuals.map(visualHtml),
  ].join("\n");
}

/** The description of a call by a program that knows nothing about its tool. */
export function plainDescription({ arguments: args }: PastCall): CallDescription {
  return { title: textStart(args, 300), details: args };
}

function sizeHtml(change: readonly ChangedLine[]): string {
  const count = (sign: ChangedLine["sign"]) => change.filter((line) => line.sign === sign).length;
  return `<span class="size"><span class="plus">+${count("+")}</span> <span class="minus">−${count("-")}</span></span>`;
}

function durationText(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  return ms < 59_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60_000)} min`;
}

/** Images of a session as parts of the page, with a sentence for one that can no longer be read; the number of documents. */
export function imagesHtml(images: readonly KeptImage[]): string {
  const documents = images.filter(isDocument).length;
  const note = documents === 0 ? [] : [`<p class="who">${documents} PDF document${documents === 1 ? "" : "s"}</p>`];
  const pictures = images.filter((one) => !isDocument(one)).map(({ path }, index) => imageHtml(path, index + 1));
  return [...pictures, ...note].join("\n");
}

function imageHtml(path: string, number: number): string {
  try {
    const bytes = readRegularFile(path, maxImageBytes);
    const mediaType = imageTypeOf(bytes);
    if (mediaType === undefined) return missing(number, "it is not a PNG, JPEG, GIF or WebP image");
    return `<figure><img alt="image ${number}" src="data:${mediaType};base64,${bytes.toString("base64")}"></figure>`;
  } catch {
    return missing(number, "its file cannot be read");
  }
}

function missing(number: number, reason: string): string {
  return `<p class="who">${escapeHtml(`Image ${number} is missing: ${reason}.`)}</p>`;
}
