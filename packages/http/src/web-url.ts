import { WebError } from "./web-error.ts";

/** The longest URL, in bytes. */
export const maxUrlBytes = 2_048;

/**
 * Reads a URL of http or https, as the WHATWG standard does, without its fragment.
 *
 * @param what what the message calls it.
 * @throws WebError `INVALID_URL`.
 */
export function readWebUrl(text: string, base?: URL, what = "The URL"): URL {
  if (Buffer.byteLength(text) > maxUrlBytes) throw invalid(`${what} is longer than ${maxUrlBytes} bytes.`);
  if (!URL.canParse(text, base?.href)) throw invalid(`${what} is invalid: ${quoted(text)}.`, urlHint);
  const url = new URL(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw invalid(`${what} begins with ${url.protocol}, and only http: and https: can be fetched.`);
  if (url.username !== "" || url.password !== "")
    throw invalid(`${what} contains a user name or password. Remove it: credentials are never sent.`);
  // Some proxies leave out the dots, and find another host.
  if (/^\.|\.\./.test(url.hostname)) throw invalid(`${what} has an empty part in its host: ${quoted(url.hostname)}.`);
  url.hash = "";
  if (Buffer.byteLength(url.href) > maxUrlBytes) throw invalid(`${what} is longer than ${maxUrlBytes} bytes.`);
  return url;
}

const urlHint = "Write a whole URL, such as https://example.com/page.";

/** The host of a URL without the brackets of an IPv6 address and the dot at the end of a name. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
}

/** The longest text of a server that a message quotes, in characters. */
const maxQuotedLength = 200;

/** Returns a text that a server may have written for a message: short, and without characters that are not visible. */
export function quoted(text: string): string {
  const start = JSON.stringify(text.slice(0, maxQuotedLength)).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return text.length > maxQuotedLength ? `${start}…` : start;
}

function invalid(message: string, hint?: string): WebError {
  return new WebError("INVALID_URL", message, hint === undefined ? {} : { hint });
}
