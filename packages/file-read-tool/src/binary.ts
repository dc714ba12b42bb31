// What a model asks to read and is no text. In order: a file of bytes or a directory, where the failure says what it is and what to use
// instead; pictures; the pages of a PDF.

import { isUtf8 } from "node:buffer";
import { readdirSync, realpathSync } from "node:fs";
import { resolve } from "node:path";
import { imageTypeOf, maxDocumentBytes, maxImageBytes } from "@ikigai/protocol";
import { findProgram, headEnd, imageSize, shellWord } from "@ikigai/system";
import type { RegularFile } from "@ikigai/tool-files";
import { ToolFailure } from "@ikigai/tool-sdk";
import { readRange } from "./text.ts";

/** A kind of file, by its first bytes: its name, and the command that shows what is in it. */
type Kind = readonly [start: string, name: string, command?: (file: string) => string];

const zip: Kind[2] = (file) => `unzip -l ${file}`;

const kinds: readonly Kind[] = [
  ["\x7fELF", "ELF program"],
  ["MZ", "Windows program"],
  ["\xcf\xfa\xed\xfe", "Mach-O program"],
  ["\xca\xfe\xba\xbe", "Java class or universal Mach-O program"],
  ["\0asm", "WebAssembly module"],
  ["PK\x03\x04", "ZIP archive", zip],
  ["PK\x05\x06", "empty ZIP archive", zip],
  ["\x1f\x8b", "gzip archive", (file) => `zcat ${file} | head -c 2000`],
  ["BZh", "bzip2 archive", (file) => `bzcat ${file} | head -c 2000`],
  ["\xfd7zXZ\0", "xz archive", (file) => `xzcat ${file} | head -c 2000`],
  ["\x28\xb5\x2f\xfd", "Zstandard archive", (file) => `zstdcat ${file} | head -c 2000`],
  ["7z\xbc\xaf\x27\x1c", "7-Zip archive", (file) => `7z l ${file}`],
  ["SQLite format 3\0", "SQLite database", (file) => `sqlite3 ${file} .schema`],
  ["PAR1", "Parquet table"],
  ["\x89PNG", "broken PNG image"],
  ["\xff\xd8\xff", "broken JPEG image"],
  ["BM", "BMP image"],
  ["II*\0", "TIFF image"],
  ["MM\0*", "TIFF image"],
  ["OggS", "Ogg audio or video", (file) => `ffprobe ${file}`],
  ["ID3", "MP3 audio", (file) => `ffprobe ${file}`],
  ["fLaC", "FLAC audio", (file) => `ffprobe ${file}`],
  ["RIFF", "RIFF audio or video", (file) => `ffprobe ${file}`],
  ["wOFF", "WOFF font"],
  ["wOF2", "WOFF2 font"],
];

const tar: Kind = ["", "tar archive", (file) => `tar -tf ${file}`];

/** What shows something of any file. */
const anyway = ["file", "strings", "xxd"];

/** The failure for a file of bytes. @param start the beginning of the file. */
export function binaryFile(path: string, start: Buffer, bytes: number): ToolFailure<"BINARY_FILE"> {
  const text = start.toString("latin1");
  const [, name, command] = kindOf(text);
  const file = shellWord(path);
  const own = command?.(file);
  const general = anyway
    .filter(isOnPath)
    .map((program) => (program === "file" ? `file ${file}` : `${program} ${file} | head -n 50`));
  const usable = [...(own !== undefined && isOnPath(own.split(" ")[0] ?? "") ? [own] : []), ...general];
  const hint = usable.length > 0 ? `With bash: ${usable.join("; ")}` : "Read it with a program that knows its format.";
  return new ToolFailure<"BINARY_FILE">("BINARY_FILE", `Not a text file (${name}, ${inUnits(bytes)}): ${path}`, {
    hint,
  });
}

function kindOf(text: string): Kind {
  if (text.startsWith("ustar", 257)) return tar;
  if (text.startsWith("ftyp", 4)) return ["", "MP4 or HEIF file", (file) => `ffprobe ${file}`];
  return kinds.find(([start]) => text.startsWith(start)) ?? ["", "unknown format"];
}

/** How many entries of a directory are named. */
const maxEntries = 50;

/** The failure for a directory, with its first entries. */
export function directoryRead(path: string): ToolFailure {
  const entries = readdirSync(path, { withFileTypes: true });
  const names = entries.map((entry) => `${entry.name}${entry.isDirectory() ? "/" : ""}`).sort();
  const shown = names.slice(0, maxEntries).join(", ");
  const more = names.length > maxEntries ? `, and ${names.length - maxEntries} more` : "";
  const hint = names.length === 0 ? "It is an empty directory." : `It is a directory. In it: ${shown}${more}`;
  return new ToolFailure("OPEN_FAILED", `Cannot open file: ${path}`, { hint });
}

export function inUnits(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} KB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function isOnPath(program: string): boolean {
  return findProgram(program, process.env.PATH, process.cwd()) !== undefined;
}

/*
 * A picture is an answer with `images`, which the host sends to the model, and one sentence about it. The file's content decides, not
 * its name.
 */

/** How much of a file tells a picture from a text that begins like one, in bytes. */
const beginningBytes = 8_192;

const pictureKinds = { "image/png": "PNG", "image/jpeg": "JPEG", "image/gif": "GIF", "image/webp": "WebP" } as const;

/** Reads a picture; `undefined` for any other file. @throws ToolFailure `IMAGE_TOO_LARGE` */
export function readPicture(path: string, { fd, stats }: RegularFile) {
  const beginning = readRange(fd, { start: 0, end: beginningBytes });
  const mimeType = imageTypeOf(beginning);
  if (mimeType === undefined || (isUtf8(beginning) && !beginning.includes(0))) return undefined;
  const bytes = Number(stats.size);
  if (bytes > maxImageBytes) throw tooLarge(path, bytes);
  const size = imageSize(readRange(fd, { start: 0, end: bytes }));
  // A provider would reject every later request with it.
  if (size === undefined) return undefined;
  const parts = [`${pictureKinds[mimeType]} image`, `${size.width} × ${size.height}`, inUnits(bytes)];
  return { output: parts.join(", "), lines_read: 0, images: [{ path: resolve(path), mime_type: mimeType }] };
}

/** What makes a picture smaller, by the program's name. */
const shrinkers: Readonly<Record<string, (file: string) => string>> = {
  magick: (file) => `magick ${file} -resize '1568x1568>' -quality 85 /tmp/smaller.jpg`,
  convert: (file) => `convert ${file} -resize '1568x1568>' -quality 85 /tmp/smaller.jpg`,
  ffmpeg: (file) => `ffmpeg -i ${file} -vf scale=1568:-1 /tmp/smaller.jpg`,
  sips: (file) => `sips -Z 1568 -s format jpeg ${file} --out /tmp/smaller.jpg`,
};

function tooLarge(path: string, bytes: number): ToolFailure<"IMAGE_TOO_LARGE"> {
  const found = Object.keys(shrinkers).find(isOnPath);
  const command = found === undefined ? undefined : shrinkers[found]?.(shellWord(path));
  const hint = command
    ? `To make it smaller: ${command}`
    : `No program to make it smaller is on the PATH (${Object.keys(shrinkers).join(", ")}).`;
  const limit = `at most ${maxImageBytes / 1_048_576} MiB can be shown`;
  const text = `The image has ${inUnits(bytes)}; ${limit}: ${path}`;
  return new ToolFailure<"IMAGE_TOO_LARGE">("IMAGE_TOO_LARGE", text, { hint });
}

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
