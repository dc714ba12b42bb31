// What the model and the user see of an outcome: without keys, and with the files that the answer names. In order: the places whose
// files count, reading one of them, the images and documents for the model, and the visuals for the user.

import { closeSync, fstatSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import type { Outcome, RegisteredTool } from "@ikigai/core";
import {
  dataDirectory,
  type ExpectedCall,
  outputsDirectory,
  sandboxTemporaryDirectory,
  withField,
} from "@ikigai/core/internal";
import { type Image, type ShownVisual, toKept } from "@ikigai/models";
import {
  type IgnoredFile,
  type IgnoredVisual,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  maxDocumentBytes,
  maxDocuments,
  maxImageBytes,
  maxImages,
  type RefusedVisual,
  readVisuals,
  textStart,
  type Visual,
} from "@ikigai/protocol";
import { readKept, toDocument, toImage, toShownImage } from "@ikigai/session";
import {
  descriptorPath,
  isInside,
  isLinux,
  openRegularFile,
  realPathOf,
  redactJson,
  replaceMember,
} from "@ikigai/system";
import { withoutSecrets } from "./without-secrets.ts";

/** Where a call ran, and where it may have put files. */
export type CallDirectories = Pick<ExpectedCall, "cwd" | "projectDir" | "home" | "sandbox" | "overflowDir">;

/** The places whose files an answer may name, and how a tool names them. */
export interface AnswerPlaces {
  /** Why none count, if so. */
  readonly problem?: string;
  readonly roots: readonly string[];
  /** What the reason calls a file elsewhere. */
  readonly outside: string;
  readonly hidden: readonly string[];
  /** Returns the path on this machine of what the tool names. */
  toHost(path: string): string;
}

/**
 * Returns the places of a call. The answer is a tool's word, so only its own places count: a tool in the sandbox must not show what
 * it cannot read.
 *
 * @param withTemporary whether the directory for temporary files, which all programs share, counts: for the user, not for the model.
 */
export function placesOf(
  tool: RegisteredTool,
  { cwd, projectDir, home, sandbox, overflowDir }: CallDirectories,
  { withTemporary = false } = {},
): AnswerPlaces {
  const dataDir = home === undefined ? undefined : dataDirectory(tool, { home, projectDir });
  const outputs = outputsDirectory(tool, { overflowDir });
  const own = [projectDir, ...[dataDir, outputs].flatMap((directory) => directory ?? [])];
  const temporary = sandbox ? sandboxTemporaryDirectory() : overflowDir;
  const shared = withTemporary && !sandbox ? [tmpdir()] : [];
  const roots = [...own, ...(temporary === undefined ? [] : [temporary]), ...shared].map(realPathOf);
  // On Linux the sandbox mounts its own directory over these.
  const replaced = sandbox && isLinux ? ["/tmp", "/var/tmp", tmpdir()] : [];
  return {
    ...(tool.launcher && { problem: "the tool runs elsewhere" }),
    roots,
    outside: `it is outside the project, the tool's data directory and the ${withTemporary ? "" : "session's "}temporary directory`,
    hidden: (sandbox?.hidden ?? []).map(realPathOf),
    toHost(path) {
      const file = resolve(cwd, path);
      const above = replaced.find((directory) => isInside(file, directory));
      const isOwn = [...own, ...roots].some((root) => isInside(file, root));
      return above === undefined || isOwn ? file : `${temporary}${file.slice(above.length)}`;
    },
  };
}

/** A file that an answer names. */
interface NamedFile {
  readonly bytes: Buffer;
  /** Its real path on this machine. */
  readonly path: string;
}

/** Opens and reads a file once; returns why it does not count instead: the end of a sentence. Never blocks on a FIFO. */
export function readNamedFile(path: string, places: AnswerPlaces, maxBytes: number): NamedFile | string {
  if (places.problem !== undefined) return places.problem;
  const named = places.toHost(path);
  const tooLarge = `it is larger than ${maxBytes / 1_048_576} MiB`;
  let fd: number | undefined;
  try {
    const found = realpathSync.native(named);
    if (!mayShow(found, places)) return places.outside;
    fd = openRegularFile(found);
    if (fd === undefined) return "it is not a regular file";
    const opened = descriptorPath(fd);
    // The tool may still be running and replace a directory on the way with a symlink.
    const real = opened === undefined ? realpathSync.native(found) : readlinkSync(opened);
    if (real !== found) return "it was replaced while it was read";
    if (fstatSync(fd).size > maxBytes) return tooLarge;
    const bytes = readFileSync(fd);
    return bytes.length > maxBytes ? tooLarge : { bytes, path: found };
  } catch {
    return mayShow(named, places) ? "it cannot be read" : places.outside;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function mayShow(path: string, { roots, hidden }: AnswerPlaces): boolean {
  return roots.some((root) => isInside(path, root)) && !hidden.some((one) => isInside(path, one));
}

/** The outcome of a call with what the model and the user see of it. */
export interface SeenOutcome extends Outcome {
  /** The images and documents that the model sees. */
  readonly images?: readonly Image[];
  /** What is drawn for the user. */
  readonly visuals?: readonly ShownVisual[];
  /** What the tool showed during the call, which is drawn already. */
  readonly shown?: readonly ShownVisual[];
}

/** How an outcome is seen. */
interface Sight extends CallDirectories {
  /** Keys, which are removed. */
  readonly secrets: readonly string[];
  /** Returns the real path of the file that the call was allowed to read. */
  readonly readFile: () => string | undefined;
}

/** Returns what the model and the user see of an outcome. Never throws. */
export async function seenOutcome(
  outcome: Outcome,
  tool: RegisteredTool,
  { secrets, readFile, ...directories }: Sight,
): Promise<SeenOutcome> {
  const withFiles = withImages(outcome, tool, directories, readFile);
  return withoutSecrets(withVisuals(withFiles, tool, directories, secrets), secrets);
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
  directories: CallDirectories,
  readFile?: () => string | undefined,
): SeenOutcome {
  const { envelope } = outcome;
  if (!envelope.tool_success) return outcome;
  const named = {
    images: filesIn(envelope.result, "images"),
    documents: filesIn(envelope.result, "documents"),
  };
  if (named.images.length + named.documents.length === 0) return outcome;
  const own = placesOf(tool, directories);
  // In the sandbox, the same path may be another file.
  const read = directories.sandbox ? undefined : readFile?.();
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
  if (ignored.length === 0 || !outcome.envelope.tool_success) return outcome;
  return withField(outcome, `${kind}_ignored`, ignored);
}

/** The images or documents of an answer. A field of another form is the tool's own. */
function filesIn(result: JsonObject, kind: Kind): readonly JsonValue[] {
  const files = result[kind];
  return Array.isArray(files) && files.some(isNamed) ? files : [];
}

function isNamed(value: JsonValue | undefined): value is JsonObject & { path: string; mime_type: string } {
  return isJsonObject(value) && typeof value.path === "string" && typeof value.mime_type === "string";
}

function namedPath(value: JsonValue | undefined): string {
  return isJsonObject(value) && typeof value.path === "string" ? textStart(value.path, maxQuoted) : "";
}

function readFiles(named: readonly JsonValue[], kind: Kind, places: AnswerPlaces) {
  const { most } = kinds[kind];
  const files: Image[] = [];
  const ignored: IgnoredFile[] = [];
  for (const one of named.slice(0, most)) {
    const content = readFile(one, kind, places);
    if (typeof content === "string") ignored.push({ path: namedPath(one), reason: content });
    else files.push(content);
  }
  if (named.length > most) {
    ignored.push({
      path: namedPath(named[most]),
      reason: `an answer may have ${most} ${kind}; it has ${named.length}`,
    });
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

/* What an answer shows the user: the model gets its texts instead. */

/**
 * Takes the visuals of an answer for the user; the model gets their texts instead, and why one is not drawn. Never throws.
 *
 * @param secrets keys, which are removed from what is drawn.
 */
export function withVisuals(
  outcome: SeenOutcome,
  tool: RegisteredTool,
  directories: CallDirectories,
  secrets: readonly string[],
): SeenOutcome {
  const { envelope } = outcome;
  const named = envelope.tool_success ? readVisuals(envelope.result) : undefined;
  if (!envelope.tool_success || !named) return outcome;
  const places = placesOf(tool, directories, { withTemporary: true });
  const visuals = named.map((visual) => shownVisual(visual, places, secrets));
  const alts = visuals.map(({ alt }) => alt).filter((alt) => alt !== "");
  const ignored = visuals.flatMap(({ type, ...visual }, index): IgnoredVisual[] =>
    "reason" in visual ? [{ index, reason: visual.reason }] : [],
  );
  const texts = JSON.stringify(alts);
  const seen = {
    ...outcome,
    visuals,
    envelope: { ...envelope, result: { ...envelope.result, visual: alts } },
    // The rest of the tool's own text stays as it is.
    json: replaceMember(outcome.json, "result", (result) => replaceMember(result, "visual", () => texts)),
  };
  return ignored.length === 0 ? seen : withField(seen, "visual_ignored", ignored);
}

/** Reads the file of an image, and removes keys from everything else. */
export function shownVisual(
  visual: Visual | RefusedVisual,
  places: AnswerPlaces,
  secrets: readonly string[],
): ShownVisual {
  if (visual.type !== "image") return withoutKeys(visual, secrets);
  const file = readNamedFile(visual.path, places, maxImageBytes);
  if (typeof file === "string") return withoutKeys({ type: "refused", alt: visual.alt, reason: file }, secrets);
  const image = toShownImage(visual, file.path, file.bytes);
  return image.type === "image" ? { ...image, ...withoutKeys(toKept(image), secrets) } : withoutKeys(image, secrets);
}

function withoutKeys<Shown extends ShownVisual>(visual: Shown, secrets: readonly string[]): Shown {
  const json = JSON.stringify(visual);
  const clean = redactJson(json, secrets);
  return clean === json ? visual : (readKept([JSON.parse(clean)])[0] as Shown);
}
