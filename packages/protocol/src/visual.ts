// What the host shows of an answer: visuals, which a person sees, and the formats of images. Limits, types, and their reader.
import { isJsonObject, type JsonObject, type JsonValue, kindOf, textStart } from "./json.ts";

/** How many visuals an answer may have. */
const maxVisuals = 8;

/** Maximum size of a visual, in bytes of JSON. */
const maxVisualBytes = 65_536;

/** Maximum size of the text that replaces a visual, in bytes. */
const maxAltBytes = 2_048;

/** How many rows a table may have, and how many labels a chart. */
const maxVisualRows = 200;

/** How many columns a table may have. */
const maxVisualColumns = 60;

/** How many series a chart may have: more cannot be told apart. */
const maxChartSeries = 8;

/** The greatest width and height of an image that a person sees, in pixels. */
export const maxVisualPixels = 4_096;

/** A value in a table. */
export type VisualCell = string | number | boolean | null;

/** A table. A row may have fewer cells than there are columns. */
export interface TableVisual {
  /** Tells it from the other visuals. */
  readonly type: "table";
  /** The names of the columns, at most `maxVisualColumns`. */
  readonly columns: readonly string[];
  /** At most `maxVisualRows`. */
  readonly rows: readonly (readonly VisualCell[])[];
  /** What the model gets instead, and what a person sees where it cannot be drawn; at most `maxAltBytes`. */
  readonly alt: string;
}

/** A change to a file. */
export interface DiffVisual {
  /** Tells it from the other visuals. */
  readonly type: "diff";
  /** The file, as a title: nothing reads it. */
  readonly path: string;
  /** In the unified format, of one file. */
  readonly text: string;
  /** What the model gets instead; at most `maxAltBytes`. */
  readonly alt: string;
}

/** A line of values in a chart. */
export interface ChartSeries {
  /** What the values are. */
  readonly name: string;
  /** Finite numbers, one for each label. */
  readonly values: readonly number[];
}

/** A chart. */
export interface ChartVisual {
  /** Tells it from the other visuals. */
  readonly type: "chart";
  /** Bars to compare values, or a line for values in an order. */
  readonly kind: "bar" | "line";
  /** What each value belongs to; at most `maxVisualRows`. */
  readonly labels: readonly string[];
  /** At most `maxChartSeries`. */
  readonly series: readonly ChartSeries[];
  /** What the model gets instead; at most `maxAltBytes`. */
  readonly alt: string;
}

/** An image for a person. The images that the model sees are another field of an answer: `images`. */
export interface ImageVisual {
  /** Tells it from the other visuals. */
  readonly type: "image";
  /** A PNG, JPEG, GIF or WebP file in the project or the temporary directory, of at most `maxImageBytes`. */
  readonly path: string;
  /** What the model gets instead; at most `maxAltBytes`. */
  readonly alt: string;
}

/** Something that the host draws for a person. */
export type Visual = TableVisual | DiffVisual | ChartVisual | ImageVisual;

/** A visual of an answer that is not drawn. */
export interface IgnoredVisual {
  /** Its place in the answer, from 0. */
  index: number;
  /** Why: the end of a sentence. */
  reason: string;
}

/** A visual that is not drawn. */
export interface RefusedVisual {
  /** Tells it from a visual. */
  readonly type: "refused";
  /** The text that replaces it; empty if it has none. */
  readonly alt: string;
  /** Why: the end of a sentence. */
  readonly reason: string;
}

/** The longest path, in UTF-16 units: no system has longer ones. */
const maxPathLength = 4_096;

/** The length of what a reason quotes. */
const maxQuoted = 40;

/**
 * Reads the visuals of an answer; `undefined` if it has none. A field `visual` that is not a list, or has no object with a `type` and
 * an `alt`, is the tool's own. At most `maxVisuals` are read. Never throws.
 */
export function readVisuals(answer: JsonObject): (Visual | RefusedVisual)[] | undefined {
  const { visual: list } = answer;
  if (!Array.isArray(list) || !list.some(isVisual)) return undefined;
  const visuals = list.slice(0, maxVisuals).map(readVisual);
  if (list.length > maxVisuals) {
    visuals.push({
      type: "refused",
      alt: "",
      reason: `an answer may have ${maxVisuals} visuals; it has ${list.length}`,
    });
  }
  return visuals;
}

function isVisual(value: JsonValue): boolean {
  return isJsonObject(value) && typeof value.type === "string" && typeof value.alt === "string";
}

/** Reads a visual, with only the fields that it should have. Does not look at the file of an image. Never throws. */
export function readVisual(value: JsonValue | undefined): Visual | RefusedVisual {
  if (!isJsonObject(value)) return { type: "refused", alt: "", reason: `it is ${kindOf(value)}, not an object` };
  const { alt } = value;
  if (typeof alt !== "string" || alt.trim() === "")
    return { type: "refused", alt: "", reason: 'it has no text in "alt"' };
  const refuse = (reason: string): RefusedVisual => ({ type: "refused", alt: fitAlt(alt), reason });
  if (bytesOf(alt) > maxAltBytes) return refuse(`its "alt" is longer than ${maxAltBytes} bytes`);
  const read = readContent(value, alt);
  if (typeof read === "string") return refuse(read);
  return bytesOf(JSON.stringify(read)) > maxVisualBytes ? refuse(`it is longer than ${maxVisualBytes} bytes`) : read;
}

function fitAlt(alt: string): string {
  let text = textStart(alt, maxAltBytes);
  while (bytesOf(text) > maxAltBytes)
    text = textStart(text, text.length - Math.ceil((bytesOf(text) - maxAltBytes) / 4));
  return text;
}

/** Returns the visual, or why it is invalid: the end of a sentence. Unknown fields, which may be nested deeply, are left out. */
function readContent(value: JsonObject, alt: string): Visual | string {
  switch (value.type) {
    case "table":
      return readTable(value, alt);
    case "diff":
      return readDiff(value, alt);
    case "chart":
      return readChart(value, alt);
    case "image": {
      const { path } = value;
      return isPath(path) ? { type: "image", path, alt } : 'it needs a "path"';
    }
    default:
      return 'its "type" is not table, diff, chart or image';
  }
}

function readTable({ columns, rows }: JsonObject, alt: string): Visual | string {
  if (!isTexts(columns) || columns.length === 0) return 'its "columns" are not a list of names';
  if (columns.length > maxVisualColumns)
    return `it has ${columns.length} columns; at most ${maxVisualColumns} are drawn`;
  if (!Array.isArray(rows)) return 'its "rows" are not a list';
  if (rows.length > maxVisualRows) return `it has ${rows.length} rows; at most ${maxVisualRows} are drawn`;
  const read: VisualCell[][] = [];
  for (const [index, row] of rows.entries()) {
    if (!Array.isArray(row) || !row.every(isCell)) return `row ${index + 1} is not a list of texts and numbers`;
    if (row.length > columns.length) return `row ${index + 1} has more cells than there are columns`;
    read.push(row);
  }
  return { type: "table", columns, rows: read, alt };
}

function readDiff({ path, text }: JsonObject, alt: string): Visual | string {
  if (!isPath(path)) return 'it needs a "path"';
  if (typeof text !== "string") return 'it needs a "text"';
  if (!/^@@ -\d/m.test(text)) return 'its "text" is not a unified diff';
  return { type: "diff", path, text, alt };
}

function readChart({ kind, labels, series }: JsonObject, alt: string): Visual | string {
  if (kind !== "bar" && kind !== "line") return 'its "kind" is not bar or line';
  if (!isTexts(labels) || labels.length === 0) return 'its "labels" are not a list of texts';
  if (labels.length > maxVisualRows) return `it has ${labels.length} labels; at most ${maxVisualRows} are drawn`;
  if (!Array.isArray(series) || series.length === 0) return 'its "series" are not a list';
  if (series.length > maxChartSeries) return `it has ${series.length} series; at most ${maxChartSeries} are drawn`;
  const read: ChartSeries[] = [];
  for (const [index, one] of series.entries()) {
    if (!isJsonObject(one) || typeof one.name !== "string" || !Array.isArray(one.values)) {
      return `series ${index + 1} needs a "name" and "values"`;
    }
    const { name, values } = one;
    if (values.length !== labels.length)
      return `series ${index + 1} has ${values.length} values for ${labels.length} labels`;
    const wrong = values.find((number) => !isFiniteNumber(number));
    if (wrong !== undefined)
      return `series ${index + 1} has a value that is not a finite number: ${describeValue(wrong)}`;
    read.push({ name, values: values.filter(isFiniteNumber) });
  }
  return { type: "chart", kind, labels, series: read, alt };
}

function isFiniteNumber(value: JsonValue | undefined): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function isTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function isCell(value: JsonValue): value is VisualCell {
  return value === null || typeof value === "string" || typeof value === "boolean" || isFiniteNumber(value);
}

function isPath(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxPathLength && !value.includes("\0");
}

function describeValue(value: JsonValue): string {
  return typeof value === "string"
    ? JSON.stringify(textStart(value, maxQuoted))
    : typeof value === "number"
      ? "infinite"
      : kindOf(value);
}

/** The length in UTF-8, where half of a surrogate pair becomes a replacement character. */
function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The first bytes of each format. */
const imageSignatures = {
  "image/png": /^\x89PNG\r\n/,
  "image/jpeg": /^\xff\xd8\xff/,
  "image/gif": /^GIF8[79]a/,
  "image/webp": /^RIFF[\s\S]{4}WEBP/,
} as const;

/** The media type of an image that a host may show. */
type ImageType = keyof typeof imageSignatures;

/** Returns the media type of an image's bytes; `undefined` if it is not an image that a host may show. Never throws. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  return (Object.keys(imageSignatures) as ImageType[]).find((type) => imageSignatures[type].test(head));
}

/** Returns the media type of a document's bytes; `undefined` if it is not a document that a host may show. Never throws. */
export function documentTypeOf(bytes: Uint8Array): "application/pdf" | undefined {
  return String.fromCharCode(...bytes.subarray(0, 5)) === "%PDF-" ? "application/pdf" : undefined;
}
