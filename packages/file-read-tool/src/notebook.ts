// A Jupyter notebook as text: its cells with their numbers, and under each what it printed. Pictures are files for the model to see.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { imageTypeOf, isJsonObject, type JsonObject, type JsonValue, maxImageBytes, maxImages } from "@ikigai/protocol";
import { readJsonObject, TerminalText } from "@ikigai/system";

/** A notebook for a model. */
export interface Notebook {
  readonly text: string;
  readonly images: readonly { readonly path: string; readonly mime_type: string }[];
}

interface Writing {
  /** The content of the pictures. */
  readonly pictures: Buffer[];
  /** How many pictures are not shown. */
  leftOut: number;
}

/** Reads a notebook; `undefined` for other JSON. @param directory for the pictures. Default: a new one for temporary files. */
export function readNotebook(bytes: Buffer, directory: string | undefined): Notebook | undefined {
  const reading = readJsonObject(bytes);
  const cells = reading.ok ? reading.value.cells : undefined;
  if (!Array.isArray(cells)) return undefined;
  const writing: Writing = { pictures: [], leftOut: 0 };
  const parts = cells.filter(isJsonObject).map((cell, index) => cellText(cell, index + 1, writing));
  const images = keep(writing.pictures, directory);
  const left = writing.leftOut === 0 ? "" : `\n(${writing.leftOut} more pictures are not shown.)\n`;
  return { text: `${parts.join("\n")}${left}`, images };
}

function cellText(cell: JsonObject, number: number, writing: Writing): string {
  const { cell_type: type, execution_count: count, outputs } = cell;
  const run = typeof count === "number" ? `, In [${count}]` : "";
  const head = `--- Cell ${number} (${typeof type === "string" ? type : "unknown"}${run})\n`;
  const printed = (Array.isArray(outputs) ? outputs : []).filter(isJsonObject).map((one) => outputText(one, writing));
  const shown = printed.filter((text) => text !== "").map(withNewline);
  return `${head}${withNewline(joined(cell.source))}${shown.length === 0 ? "" : `--- Output of cell ${number}\n${shown.join("")}`}`;
}

function outputText(output: JsonObject, writing: Writing): string {
  const { text, data, traceback, evalue } = output;
  if (text !== undefined) return plain(joined(text));
  if (traceback !== undefined || evalue !== undefined)
    return plain(Array.isArray(traceback) ? traceback.join("\n") : joined(evalue));
  if (!isJsonObject(data)) return "";
  for (const type of ["image/png", "image/jpeg"]) {
    const picture = data[type] === undefined ? undefined : Buffer.from(joined(data[type]), "base64");
    if (picture === undefined || imageTypeOf(picture) === undefined) continue;
    if (writing.pictures.length === maxImages || picture.length > maxImageBytes) writing.leftOut++;
    else return `(picture ${writing.pictures.push(picture)})`;
  }
  const known = data["text/plain"] ?? data["text/markdown"] ?? data["text/html"];
  return known === undefined ? `(${Object.keys(data).join(", ")})` : plain(joined(known));
}

/** Without the colours of tracebacks. */
function plain(text: string): string {
  const terminal = new TerminalText();
  return terminal.push(text) + terminal.end();
}

/** A text of a notebook is one string, or a list of lines with their line ends. */
function joined(text: JsonValue | undefined): string {
  return Array.isArray(text) ? text.join("") : typeof text === "string" ? text : "";
}

function withNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

function keep(pictures: readonly Buffer[], given: string | undefined): Notebook["images"] {
  if (pictures.length === 0) return [];
  const directory = mkdtempSync(join(given ?? tmpdir(), "notebook-"));
  return pictures.map((bytes, index) => {
    const path = join(directory, `picture-${index + 1}.png`);
    writeFileSync(path, bytes, { mode: 0o600 });
    return { path, mime_type: imageTypeOf(bytes) ?? "" };
  });
}
