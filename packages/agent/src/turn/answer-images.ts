import type { Outcome, RegisteredTool } from "@ikigai/core";
import type { Image, ShownVisual } from "@ikigai/models";
import {
  type IgnoredImage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxImageBytes,
  maxImages,
  textStart,
} from "@ikigai/protocol";
import { toImage } from "../session/kept-files.ts";
import { type AnswerPlaces, type CallPlace, placesOf, readNamedFile } from "./answer-places.ts";

/** The outcome of a call with what the model and the user see of it. */
export interface SeenOutcome extends Outcome {
  /** The images that the model sees. */
  readonly images?: readonly Image[];
  /** What is drawn for the user. */
  readonly visuals?: readonly ShownVisual[];
  /** What the tool showed during the call, which is drawn already. */
  readonly shown?: readonly ShownVisual[];
}

/** Longest path that the envelope quotes, in characters. */
const maxQuoted = 200;

/**
 * Reads the images that an answer names. The envelope says which of them the model does not see, and why. Never throws.
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
  const { envelope, json } = outcome;
  const named = envelope.tool_success ? imagesIn(envelope.result) : [];
  if (!envelope.tool_success || named.length === 0) return outcome;
  const own = placesOf(tool, place);
  // In the sandbox, the same path may be another file.
  const read = place.sandbox ? undefined : readFile?.();
  const places = read === undefined ? own : { ...own, roots: [...own.roots, read] };
  const images: Image[] = [];
  const ignored: IgnoredImage[] = [];
  for (const image of named.slice(0, maxImages)) {
    const content = readImage(image, places);
    if (typeof content === "string") ignored.push({ path: quoted(image), reason: content });
    else images.push(content);
  }
  if (named.length > maxImages) {
    const reason = `an answer may have ${maxImages} images; it has ${named.length}`;
    ignored.push({ path: quoted(named[maxImages]), reason });
  }
  if (ignored.length === 0) return { ...outcome, images };
  return {
    ...outcome,
    images,
    envelope: { ...envelope, images_ignored: ignored },
    // The tool's own text stays as it is.
    json: `${json.slice(0, -1)},"images_ignored":${JSON.stringify(ignored)}}`,
  };
}

/** The images of an answer. A field `images` of another form is the tool's own. */
function imagesIn({ images }: JsonObject): readonly JsonValue[] {
  return Array.isArray(images) && images.some(isImage) ? images : [];
}

function isImage(value: JsonValue | undefined): value is JsonObject & { path: string; mime_type: string } {
  return isJsonObject(value) && typeof value.path === "string" && typeof value.mime_type === "string";
}

function quoted(value: JsonValue | undefined): string {
  return isJsonObject(value) && typeof value.path === "string" ? textStart(value.path, maxQuoted) : "";
}

/** Reads an image; returns why it is ignored instead: the end of a sentence. */
function readImage(value: JsonValue, places: AnswerPlaces): Image | string {
  if (!isImage(value)) return "it needs a path and a mime_type";
  const file = readNamedFile(value.path, places, maxImageBytes);
  if (typeof file === "string") return file;
  const image = toImage(file.bytes, maxImageBytes);
  if (image === undefined) return "it is not a PNG, JPEG, GIF or WebP image";
  return image.mediaType === value.mime_type ? image : `it is ${image.mediaType}`;
}
