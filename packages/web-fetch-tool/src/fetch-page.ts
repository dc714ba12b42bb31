import { STATUS_CODES } from "node:http";
import { htmlToMarkdown } from "@ikigai/html-markdown";
import { withoutInvisible } from "@ikigai/system";
import {
  checkHops,
  decodeText,
  defaultLimits,
  readWebUrl,
  sendRequest,
  WebError,
  type WebResponse,
} from "@ikigai/web-requests";
import { kindOf, mediaTypeOf } from "./content-kind.ts";
import { withLineFeeds } from "./line-breaks.ts";
import { type Page, pageCache } from "./page-cache.ts";
import { unsupported } from "./save-body.ts";
import { startOf } from "./start-of.ts";

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
