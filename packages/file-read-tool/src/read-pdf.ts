import { realpathSync } from "node:fs";
import { findProgram, headEnd } from "@ikigai/system";
import { ToolFailure } from "@ikigai/tool-sdk";

/*
 * A PDF as the text of its pages, through pdftotext. `offset` and `limit` are pages.
 */

/** The wanted pages. */
export interface WantedPages {
  readonly from: number;
  /** How many; `Infinity` for all. */
  readonly count: number;
  /** Space for the text, in bytes of JSON. */
  readonly room: number;
}

const converter = "pdftotext";

/** How long the converter may take, in milliseconds: a thousand pages take about ten seconds. */
const maxTimeMs = 25_000;

/** The longest text that is taken from it, in bytes. */
const maxTextBytes = 52_428_800;

/** Reads a PDF. @throws ToolFailure `BINARY_FILE` without pdftotext, `READ_FAILED` if it fails. */
export async function readPdf(path: string, { from, count, room }: WantedPages) {
  const program = findProgram(converter, process.env.PATH, process.cwd());
  if (program === undefined) {
    const hint = `${converter} is not installed, which would make text of it (package poppler-utils, on macOS: brew install poppler).`;
    throw new ToolFailure<"BINARY_FILE">("BINARY_FILE", `Not a text file (PDF document): ${path}`, { hint });
  }
  if (count <= 0) return { output: "", lines_read: 0 };
  const last = Number.isFinite(count) ? ["-l", String(from + count - 1)] : [];
  // Loaded only for a PDF.
  const { spawnSync } = await import("node:child_process");
  const args = ["-enc", "UTF-8", "-f", String(from), ...last, realpathSync(path), "-"];
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    maxBuffer: maxTextBytes,
    timeout: maxTimeMs,
  });
  if (status !== 0) {
    const hint = `${converter}: ${stderr?.trim().split("\n")[0] || error?.message || "it failed"}`;
    throw new ToolFailure("READ_FAILED", `Failed to read file: ${path}`, { hint });
  }
  const pages = stdout
    .split("\f")
    .slice(0, -1)
    .map((text, index) => `--- Page ${from + index}\n${text}`);
  const shown = fittingPages(pages, room);
  const next = from + shown.count;
  const isCut = shown.count < pages.length || shown.isPageCut;
  const cut = shown.isPageCut
    ? `Page ${from} is cut. The next one is offset ${next}.`
    : `Continue with offset ${next}.`;
  const hint = `The text of a PDF; offset and limit are pages.${isCut ? ` ${cut}` : ""}`;
  return { output: shown.text, lines_read: shown.count, hint, ...(isCut && { truncated: true as const }) };
}

/** The pages that fit, at least a part of the first one. */
function fittingPages(pages: readonly string[], room: number) {
  const [first = ""] = pages;
  if (jsonBytes(first) > room) return { text: first.slice(0, headEnd(first, room)), count: 1, isPageCut: true };
  let count = 0;
  for (let left = room; count < pages.length; count++) {
    left -= jsonBytes(pages[count] ?? "");
    if (left < 0) break;
  }
  return { text: pages.slice(0, count).join(""), count, isPageCut: false };
}

function jsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
