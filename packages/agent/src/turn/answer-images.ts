import { closeSync, fstatSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import type { Outcome, RegisteredTool } from "@ikigai/core";
import { dataDirectory, type ExpectedCall, sandboxTemporaryDirectory } from "@ikigai/core/internal";
import {
  type IgnoredImage,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxImageBytes,
  maxImages,
  textStart,
} from "@ikigai/protocol";
import { descriptorPath, isInside, isLinux, openRegularFile, realPathOf } from "@ikigai/system";
import type { Image } from "../model/message.ts";
import { toImage } from "../session/kept-images.ts";

/** The outcome of a call with the images that the model sees. */
export interface SeenOutcome extends Outcome {
  readonly images?: readonly Image[];
}

/** Where a call ran. */
type CallPlace = Pick<ExpectedCall, "cwd" | "projectDir" | "home" | "sandbox" | "overflowDir">;

/** Longest path that the envelope quotes, in characters. */
const maxQuoted = 200;

/**
 * Reads the images that an answer names. The envelope says which of them the model does not see, and why. Never throws.
 *
 * The answer is a tool's word, so only its own places count: a tool in the sandbox must not show the model what it cannot read.
 */
export function withImages(outcome: Outcome, tool: RegisteredTool, place: CallPlace): SeenOutcome {
  const { envelope, json } = outcome;
  const named = envelope.tool_success ? imagesIn(envelope.result) : [];
  if (!envelope.tool_success || named.length === 0) return outcome;
  const places = placesOf(tool, place);
  const images: Image[] = [];
  const ignored: IgnoredImage[] = [];
  for (const image of named.slice(0, maxImages)) {
    const read = readImage(image, places);
    if (typeof read === "string") ignored.push({ path: quoted(image), reason: read });
    else images.push(read);
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

/** The places whose images count, and how a tool names them. */
interface ImagePlaces {
  /** Why none count, if so. */
  readonly problem?: string;
  readonly roots: readonly string[];
  readonly hidden: readonly string[];
  /** Returns the path on this machine of what the tool names. */
  toHost(path: string): string;
}

function placesOf(tool: RegisteredTool, { cwd, projectDir, home, sandbox, overflowDir }: CallPlace): ImagePlaces {
  const dataDir = home === undefined ? undefined : dataDirectory(tool, { home, projectDir });
  const own = [projectDir, ...(dataDir === undefined ? [] : [dataDir])];
  const temporary = sandbox ? sandboxTemporaryDirectory() : overflowDir;
  const roots = [...own, ...(temporary === undefined ? [] : [temporary])].map(realPathOf);
  // On Linux the sandbox mounts its own directory over these.
  const replaced = sandbox && isLinux ? ["/tmp", "/var/tmp", tmpdir()] : [];
  return {
    ...(tool.launcher && { problem: "the tool runs elsewhere" }),
    roots,
    hidden: (sandbox?.hidden ?? []).map(realPathOf),
    toHost(path) {
      const file = resolve(cwd, path);
      const above = replaced.find((directory) => isInside(file, directory));
      const isOwn = [...own, ...roots].some((root) => isInside(file, root));
      return above === undefined || isOwn ? file : `${temporary}${file.slice(above.length)}`;
    },
  };
}

const outside = "it is outside the project, the tool's data directory and the session's temporary directory";

/** Reads an image; returns why it is ignored instead: the end of a sentence. */
function readImage(value: JsonValue, places: ImagePlaces): Image | string {
  if (!isImage(value)) return "it needs a path and a mime_type";
  if (places.problem !== undefined) return places.problem;
  const named = places.toHost(value.path);
  let fd: number | undefined;
  try {
    const path = realpathSync.native(named);
    if (!mayShow(path, places)) return outside;
    fd = openRegularFile(path);
    if (fd === undefined) return "it is not a regular file";
    const opened = descriptorPath(fd);
    // The tool may still be running and replace a directory on the way with a symlink.
    const real = opened === undefined ? realpathSync.native(path) : readlinkSync(opened);
    if (real !== path) return "it was replaced while it was read";
    if (fstatSync(fd).size > maxImageBytes) return tooLarge;
    return checked(readFileSync(fd), value.mime_type);
  } catch {
    return mayShow(named, places) ? "it cannot be read" : outside;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

const tooLarge = `it is larger than ${maxImageBytes / 1_048_576} MiB`;

function checked(bytes: Buffer, mimeType: string): Image | string {
  if (bytes.length > maxImageBytes) return tooLarge;
  const image = toImage(bytes, maxImageBytes);
  if (image === undefined) return "it is not a PNG, JPEG, GIF or WebP image";
  return image.mediaType === mimeType ? image : `it is ${image.mediaType}`;
}

function mayShow(path: string, { roots, hidden }: ImagePlaces): boolean {
  return roots.some((root) => isInside(path, root)) && !hidden.some((one) => isInside(path, one));
}
