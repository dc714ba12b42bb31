import type { Outcome, RegisteredTool } from "@ikigai/core";
import type { Image, ShownVisual } from "@ikigai/models";
import {
  type IgnoredFile,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxDocumentBytes,
  maxDocuments,
  maxImageBytes,
  maxImages,
  textStart,
} from "@ikigai/protocol";
import { toDocument, toImage } from "@ikigai/session";
import { type AnswerPlaces, type CallPlace, placesOf, readNamedFile } from "./answer-places.ts";

/** The outcome of a call with what the model and the user see of it. */
export interface SeenOutcome extends Outcome {
  /** The images and documents that the model sees. */
  readonly images?: readonly Image[];
  /** What is drawn for the user. */
  readonly visuals?: readonly ShownVisual[];
  /** What the tool showed during the call, which is drawn already. */
  readonly shown?: readonly ShownVisual[];
}

/** Longest path that the envelope quotes, in characters. */
const maxQuoted = 200;

/** The files that an answer may name for the model, by field. */
const kinds = {
  images: {
    most: maxImages,
    maxBytes: maxImageBytes,
    read: (bytes: Buffer) => toImage(bytes, maxImageBytes),
    what: "a PNG, JPEG, GIF or WebP image",
  },
  documents: { most: maxDocuments, maxBytes: maxDocumentBytes, read: toDocument, what: "a PDF document" },
} as const;

type Kind = keyof typeof kinds;

/**
 * Reads the images and documents that an answer names. The envelope says which of them the model does not see, and why. Never throws.
 *
 * The answer is a tool's word, so only its own places count: a tool in the sandbox must not show the model what it cannot read.
 *
 * @param readFile returns the real path of the file that the call was allowed to read, which counts as well.
 */
export function withImages(
  outcome: Outcome,
  tool: RegisteredTool,
  place: CallPlace,
  readFile?: () => string | undefined,
): SeenOutcome {
  const { envelope } = outcome;
  if (!envelope.tool_success) return outcome;
  const named = {
    images: filesIn(envelope.result, "images"),
    documents: filesIn(envelope.result, "documents"),
  };
  if (named.images.length + named.documents.length === 0) return outcome;
  const own = placesOf(tool, place);
  // In the sandbox, the same path may be another file.
  const read = place.sandbox ? undefined : readFile?.();
  const places = read === undefined ? own : { ...own, roots: [...own.roots, read] };
  const found = {
    images: readFiles(named.images, "images", places),
    documents: readFiles(named.documents, "documents", places),
  };
  const seen = { ...outcome, images: [...found.images.files, ...found.documents.files] };
  return withIgnored(withIgnored(seen, "images", found.images.ignored), "documents", found.documents.ignored);
}

/** The tool's own text stays as it is. */
function withIgnored(outcome: SeenOutcome, kind: Kind, ignored: readonly IgnoredFile[]): SeenOutcome {
  const { envelope, json } = outcome;
  if (ignored.length === 0 || !envelope.tool_success) return outcome;
  const field = `${kind}_ignored` as const;
  return {
    ...outcome,
    envelope: { ...envelope, [field]: ignored },
    json: `${json.slice(0, -1)},"${field}":${JSON.stringify(ignored)}}`,
  };
}

/** The images or documents of an answer. A field of another form is the tool's own. */
function filesIn(result: JsonObject, kind: Kind): readonly JsonValue[] {
  const files = result[kind];
  return Array.isArray(files) && files.some(isNamed) ? files : [];
}

function isNamed(value: JsonValue | undefined): value is JsonObject & { path: string; mime_type: string } {
  return isJsonObject(value) && typeof value.path === "string" && typeof value.mime_type === "string";
}

function quoted(value: JsonValue | undefined): string {
  return isJsonObject(value) && typeof value.path === "string" ? textStart(value.path, maxQuoted) : "";
}

function readFiles(named: readonly JsonValue[], kind: Kind, places: AnswerPlaces) {
  const { most } = kinds[kind];
  const files: Image[] = [];
  const ignored: IgnoredFile[] = [];
  for (const one of named.slice(0, most)) {
    const content = readFile(one, kind, places);
    if (typeof content === "string") ignored.push({ path: quoted(one), reason: content });
    else files.push(content);
  }
  if (named.length > most) {
    ignored.push({ path: quoted(named[most]), reason: `an answer may have ${most} ${kind}; it has ${named.length}` });
  }
  return { files, ignored };
}

/** Reads an image or a document; returns why it is ignored instead: the end of a sentence. */
function readFile(value: JsonValue, kind: Kind, places: AnswerPlaces): Image | string {
  if (!isNamed(value)) return "it needs a path and a mime_type";
  const { maxBytes, read, what } = kinds[kind];
  const file = readNamedFile(value.path, places, maxBytes);
  if (typeof file === "string") return file;
  const content = read(file.bytes);
  if (content === undefined) return `it is not ${what}`;
  return content.mediaType === value.mime_type ? content : `it is ${content.mediaType}`;
}
