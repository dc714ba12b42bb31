import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";

/** Stores bytes that came with a result; returns their path, or `undefined` if the result has too many files. */
export type SaveFile = (bytes: Buffer, mimeType: string) => string | undefined;

/** The kinds of images that an answer may show to the model. */
const shownImages = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** An image of an answer. */
interface Shown {
  readonly path: string;
  readonly mime_type: string;
}

/** Translates the result of a call into the answer of a tool. */
export function toAnswer(result: JsonObject, save: SaveFile): JsonObject {
  const { content, structuredContent: structured, isError } = result;
  const blocks = Array.isArray(content) ? content.filter(isJsonObject) : [];
  const images: Shown[] = [];
  const texts = blocks.map((block) => textOf(block, save, images));
  const output = texts.join("\n");
  if (isError === true) return { error: output || errorIn(structured), error_code: toolError };
  const isRepeated = structured !== undefined && texts.length === 1 && isSame(output, structured);
  return {
    ...(!isRepeated && (structured === undefined || output !== "") && { output }),
    ...(structured !== undefined && { structured }),
    ...(images.length > 0 && { images: images.map((image) => ({ ...image })) }),
  };
}

/** What an error without a text says. */
function errorIn(structured: JsonValue | undefined): string {
  return structured === undefined ? "The tool reported an error without a message." : JSON.stringify(structured);
}

const toolError = "MCP_TOOL_ERROR";

/** Servers repeat the structured result as text, for clients that do not know it. */
function isSame(text: string, structured: JsonValue): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(text), structured);
  } catch {
    return false;
  }
}

/** A block of content as text. */
function textOf(block: JsonObject, save: SaveFile, images: Shown[]): string {
  const { type, text, data, mimeType, resource, uri, name } = block;
  const mime = typeof mimeType === "string" ? mimeType : "application/octet-stream";
  if (type === "text") return typeof text === "string" ? text : "";
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return savedText(type, Buffer.from(data, "base64"), { mime, save, images });
  }
  if (type === "resource" && isJsonObject(resource)) return resourceText(resource, save, images);
  if (type === "resource_link") return `[resource ${String(name ?? "")} ${String(uri ?? "")}]`;
  return JSON.stringify(block);
}

/** The content of a resource as text: where it is from, then what it says. */
export function resourceText(resource: JsonObject, save: SaveFile, images: Shown[] = []): string {
  const { uri, text, blob, mimeType } = resource;
  const origin = `[${String(uri ?? "")}]`;
  if (typeof text === "string") return `${origin}\n${text}`;
  if (typeof blob !== "string") return origin;
  const mime = typeof mimeType === "string" ? mimeType : "application/octet-stream";
  return `${origin}\n${savedText("file", Buffer.from(blob, "base64"), { mime, save, images })}`;
}

/** Stores a file of a result; returns the text that stands for it. */
function savedText(
  kind: string,
  bytes: Buffer,
  { mime, save, images }: { readonly mime: string; readonly save: SaveFile; readonly images: Shown[] },
): string {
  const path = save(bytes, mime);
  if (path === undefined) return `[${kind} left out: the result has too many files]`;
  if (shownImages.includes(mime)) images.push({ path, mime_type: mime });
  return `[${kind} ${path}]`;
}
