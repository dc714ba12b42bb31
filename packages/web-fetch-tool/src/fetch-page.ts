// A page from the cache or its server, and what kind of content it is.

import { writeFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import { htmlToMarkdown } from "@ikigai/html-markdown";
import {
  checkHops,
  decodeText,
  defaultLimits,
  readWebUrl,
  sendRequest,
  WebError,
  type WebResponse,
} from "@ikigai/http";
import { shellWord, temporaryPath, withoutInvisible } from "@ikigai/system";
import { type Page, pageCache } from "./page-cache.ts";

/** How a page is fetched. */
export interface FetchOptions {
  /** Whether the text is wanted as it came. */
  readonly isRaw: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** How long it may take at most, in milliseconds. */
  readonly leftMs: number;
  readonly userAgent: string;
}

/** Pages shorter than this, in characters, are probably made by their scripts. */
const fewCharacters = 200;

/** How much of the text of an error is shown, in bytes. */
const maxErrorTextBytes = 2_048;

/** Markdown first: some servers have it. */
const accepted = "text/markdown, text/html;q=.9, text/plain;q=.8, */*;q=.1";

/**
 * Returns a page: one that was fetched less than 15 minutes ago, or what the server sends.
 *
 * @throws WebError
 */
export async function fetchPage(text: string, options: FetchOptions): Promise<Page & { readonly isCached: boolean }> {
  const { isRaw, env, leftMs, userAgent } = options;
  const url = readWebUrl(text);
  const cache = pageCache(env, `${isRaw ? "raw" : "markdown"} ${url.href}`);
  const known = cache.read();
  // A page whose address is blocked now is refused, not fetched.
  if (known && checkHops(known.hops, env)) return { ...known, isCached: true };
  const limits = { totalMs: Math.min(leftMs, defaultLimits.totalMs) };
  const response = await sendRequest({ url, env, headers: { "user-agent": userAgent, accept: accepted }, limits });
  const page = toPage(response, options);
  if (response.status === 200 && !isPrivate(response)) cache.write(page);
  return { ...page, isCached: false };
}

/** Whether the server wants the response not to be stored. */
function isPrivate({ headers }: WebResponse): boolean {
  return /(?:^|[\s,])no-store(?:$|[\s,;])/i.test(headers["cache-control"] ?? "");
}

function toPage(response: WebResponse, { isRaw }: FetchOptions): Page {
  const { status, headers, body, hops, url } = response;
  const mediaType = mediaTypeOf(headers["content-type"], body);
  if (status < 200 || status > 299) throw httpError(response, mediaType);
  const kind = kindOf(mediaType);
  if (kind === "other") throw unsupported(response, mediaType);
  const source = decodeText(body, headers["content-type"] ?? "");
  const facts = { url: url.href, status, contentType: mediaType, hops };
  if (kind === "text" || isRaw) return { ...facts, text: source };
  const { markdown, title, textLength, hasScript, removed } = htmlToMarkdown(source, url.href);
  const isSparse = hasScript && textLength < fewCharacters;
  const more = { ...(title !== undefined && { title }), ...(isSparse && { isSparse }) };
  return { ...facts, text: markdown, removed, ...more };
}

function httpError({ status, body, headers, url, proxy }: WebResponse, mediaType: string): WebError {
  const kind = kindOf(mediaType);
  const source = kind === "other" ? "" : decodeText(body, headers["content-type"] ?? "");
  const { markdown, removed } = kind === "html" ? htmlToMarkdown(source, url.href) : { markdown: source, removed: 0 };
  const visible = withoutInvisible(withLineFeeds(markdown));
  const text = startOf(visible.text, maxErrorTextBytes);
  const count = removed + visible.removed;
  const name = STATUS_CODES[status];
  const details = { status, ...(text !== "" && { text }), ...(count > 0 && { removed: count }) };
  const way = proxy === undefined ? "" : `, through the proxy ${proxy}, which may have responded itself`;
  return new WebError("HTTP_ERROR", `${url.href} responded with ${status}${name ? ` ${name}` : ""}${way}.`, details);
}

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

/** What ends the name of a saved file, where the end of its type is not that. */
const extensions: Readonly<Record<string, string>> = {
  "image/jpeg": "jpg",
  "application/gzip": "gz",
  "application/x-gzip": "gz",
  "application/octet-stream": "bin",
};

/** Saves a body that is no text, and returns the failure that names the file. */
export function unsupported({ url, status, body }: WebResponse, mediaType: string): WebError {
  const what = `${url.href} is ${mediaType}, which web_fetch does not read`;
  const saved = save(body, mediaType);
  if (saved === undefined) return new WebError("UNSUPPORTED_TYPE", `${what}; it could not be saved either.`);
  const step =
    mediaType === "application/pdf"
      ? `Run: pdftotext ${shellWord(saved)} -`
      : `Read ${saved} with a program for ${mediaType}.`;
  const details = { status, content_type: mediaType, saved, help: { steps: [step] } };
  return new WebError("UNSUPPORTED_TYPE", `${what}. It was saved to a file.`, details);
}

/** Saves a body in a file that only the user can read. Returns its path; `undefined` if the system refuses. */
function save(body: Buffer, mediaType: string): string | undefined {
  const { randomUUID } = process.getBuiltinModule("node:crypto");
  const ending = extensions[mediaType] ?? /^[^/]+\/([a-z0-9]{1,8})$/.exec(mediaType)?.[1] ?? "bin";
  // The model reads it with other tools, so it belongs to ikigai, which outlives this process.
  const path = temporaryPath(
    `web-${randomUUID()}.${ending}`,
    Number.parseInt(process.env.IKIGAI_HOST_ID ?? "", 10) || process.pid,
  );
  try {
    writeFileSync(path, body, { flag: "wx", mode: 0o600 });
    return path;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
    return undefined;
  }
}

/** Returns the start of a text in at most `maxBytes` of UTF-8, without half a character. */
export function startOf(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text.slice(0, maxBytes));
  if (bytes.length <= maxBytes) return bytes.toString();
  let end = maxBytes;
  // Bytes that continue a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString("utf8", 0, end);
}

/** What is a line break for Unicode: a terminal would go back with a carriage return, and show only what follows. */
const lineBreaks = /\r\n?|[\u2028\u2029]/g;

/** The text with line feeds for all line breaks. */
export function withLineFeeds(text: string): string {
  return text.replace(lineBreaks, "\n");
}
