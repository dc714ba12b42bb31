import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { maxDocumentBytes } from "@ikigai/protocol";
import { findProgram, headEnd } from "@ikigai/system";
import { ToolFailure } from "@ikigai/tool-sdk";
import { inUnits } from "./binary-file.ts";

/*
 * A PDF as the text of its pages, through pdftotext, and as the document itself, which the host sends to models that take it.
 * `offset` and `limit` are pages; with them the answer has only their text.
 */

/** The wanted pages. */
export interface WantedPages {
  readonly from: number;
  /** How many; `Infinity` for all. */
  readonly count: number;
  /** Space for the text, in bytes of JSON. */
  readonly room: number;
  /** How large the file is. */
  readonly bytes: number;
}

/** A document costs a model about 2,000 tokens a page: longer ones are read as text, by pages. */
const maxShownPages = 20;

/** Scanned pages have no text, so more of them are shown: as many as every provider takes. */
const maxShownScans = 100;

const converter = "pdftotext";

/** How long the converter may take, in milliseconds: a thousand pages take about ten seconds. */
const maxTimeMs = 25_000;

/** The longest text that is taken from it, in bytes. */
const maxTextBytes = 52_428_800;

/** Reads a PDF. @throws ToolFailure `BINARY_FILE` without pdftotext if it is too large to be shown, `READ_FAILED` if it fails. */
export async function readPdf(path: string, { from, count, room, bytes }: WantedPages) {
  const program = findProgram(converter, process.env.PATH, process.cwd());
  const documents = bytes <= maxDocumentBytes ? [{ path: resolve(path), mime_type: "application/pdf" }] : undefined;
  if (program === undefined) {
    const hint = `${converter} is not installed, which would make text of it (package poppler-utils, on macOS: brew install poppler).`;
    if (documents) return { output: `PDF document, ${inUnits(bytes)}`, lines_read: 0, documents, hint };
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
  const texts = stdout.split("\f").slice(0, -1);
  const pages = texts.map((text, index) => `--- Page ${from + index}\n${text}`);
  const isScan = texts.every((text) => text.trim() === "");
  const isShown =
    from === 1 && count === Number.POSITIVE_INFINITY && texts.length <= (isScan ? maxShownScans : maxShownPages);
  const shown = fittingPages(pages, room);
  const next = from + shown.count;
  const isCut = shown.count < pages.length || shown.isPageCut;
  const cut = shown.isPageCut
    ? `Page ${from} is cut. The next one is offset ${next}.`
    : `Continue with offset ${next}.`;
  const hint = `The text of a PDF; offset and limit are pages.${isCut ? ` ${cut}` : ""}`;
  return {
    output: shown.text,
    lines_read: shown.count,
    ...(isShown && documents && { documents }),
    hint,
    ...(isCut && { truncated: true as const }),
  };
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
