/** What a body is: a page to convert, text to show as it is, or something that is no text. */
export type ContentKind = "html" | "text" | "other";

const htmlTypes = new Set(["text/html", "application/xhtml+xml"]);

const textTypes =
  /^(?:text\/.+|.+\+(?:json|xml|yaml)|application\/(?:json|xml|yaml|x-yaml|toml|javascript|x-javascript|ecmascript|x-ndjson|jsonl|sql|graphql|x-sh|x-tex|rtf))$/;

/** A media type as servers may write it (RFC 6838): no other characters get into an answer. */
const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** How many bytes show what a body without a type is. */
const sniffedBytes = 1_024;

/** Returns the media type of a Content-Type; of a body without one, what it looks like. */
export function mediaTypeOf(contentType: string | undefined, body: Buffer): string {
  const type = contentType?.split(";")[0]?.trim().toLowerCase();
  if (type !== undefined && mediaType.test(type)) return type;
  const start = body.subarray(0, sniffedBytes);
  if (start.includes(0)) return "application/octet-stream";
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(start.toString("latin1")) ? "text/html" : "text/plain";
}

export function kindOf(mediaType: string): ContentKind {
  if (htmlTypes.has(mediaType)) return "html";
  return textTypes.test(mediaType) ? "text" : "other";
}
