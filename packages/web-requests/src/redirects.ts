import { isUtf8 } from "node:buffer";
import { WebError } from "./web-error.ts";
import { readWebUrl } from "./web-url.ts";

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/**
 * Returns where a response redirects to, if that is to be followed; `undefined` for a response that is no redirect.
 *
 * @throws WebError `INVALID_URL`, or `REDIRECT_TO_OTHER_HOST` with the location: a call of its own, with a permission of its own.
 */
export function redirectOf(url: URL, status: number, location: string | undefined): URL | undefined {
  if (!redirectStatuses.has(status) || location === undefined) return undefined;
  const target = readWebUrl(asUtf8(location), url, `${url.host} redirects to another URL, which`);
  if (isSameSite(url, target)) return target;
  throw new WebError(
    "REDIRECT_TO_OTHER_HOST",
    `${url.host} redirects to another host, ${target.host}, which was not followed.`,
    {
      location: target.href,
      hint: "Fetch the location if it is what you want.",
    },
  );
}

/** Node reads headers byte by byte; browsers read this one as UTF-8, if it is that. */
function asUtf8(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  return isUtf8(bytes) ? bytes.toString() : header;
}

/** Whether a redirect stays where it was: on the same host and port, with `www.` or without; and not from https to http. */
function isSameSite(from: URL, to: URL): boolean {
  if (from.protocol === "https:" && to.protocol === "http:") return false;
  return withoutWww(from.host) === withoutWww(to.host);
}

function withoutWww(host: string): string {
  return host.replace(/^www\./, "");
}
