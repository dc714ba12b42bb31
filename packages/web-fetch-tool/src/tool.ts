// The tool: fetches a page, and answers with the lines that were asked for.

import { htmlToMarkdown } from "@ikigai/html-markdown";
import { WebError, type WebErrorCode } from "@ikigai/http";
import { withoutInvisible } from "@ikigai/system";
import { defineTool, monotonicMs, ToolFailure } from "@ikigai/tool-sdk";
import { fetchPage, withLineFeeds } from "./fetch-page.ts";
import type { Page } from "./page-cache.ts";
import { output, parameters } from "./schema.ts";

const scriptHint = "The page has almost no text without JavaScript, which web_fetch does not run.";

/** @param version of the tool, which it tells the server. */
export const webFetch = (version: string) =>
  defineTool({
    name: "web_fetch",
    description:
      "Fetch a web page or text file as Markdown. Long ones come in parts: continue with offset. Scripts do not run, so some pages have little text. Local addresses are blocked, and only GET is possible: for other requests use curl in bash. To find pages, use web_search if it is there.",
    parameters,
    output,
    annotations: { readOnlyHint: true, openWorldHint: true },
    ikigai: {
      prestart: true,
      serves: true,
      answerBytes: 32_768,
      varies: ["cached", "saved"],
      needs: { env: ["IKIGAI_WEB_ALLOW"] },
    },
    recount: ({ output }) => ({ lines: countLines(output) }),
    warmUp: () => {
      const { markdown } = htmlToMarkdown(samplePage, "http://localhost/");
      return { ...answer({ text: markdown }, {}, 1_000), url: "", status: 200, content_type: "" };
    },
    async run({ url, offset = 1, limit = all, raw = false }, { env, maxOutputBytes, stopAtMs }) {
      try {
        const leftMs = stopAtMs - monotonicMs();
        const page = await fetchPage(url, { isRaw: raw, env, leftMs, userAgent: `ikigai-web-fetch/${version}` });
        const { title, contentType: content_type, status, isCached, isSparse } = page;
        const beside = {
          url: page.url,
          status,
          content_type,
          ...(title !== undefined && { title: withoutInvisible(title).text }),
        };
        return {
          ...answer(page, { offset, limit }, maxOutputBytes),
          ...beside,
          ...(isCached && { cached: true }),
          ...(isSparse && { hint: scriptHint }),
        };
      } catch (error) {
        throw error instanceof WebError ? toFailure(error) : error;
      }
    },
  });

const samplePage = `<!doctype html><title>a</title><h1>b</h1>${'<p>c <a href="d">e</a></p><ul><li>f</ul>'.repeat(9)}`;

const all = Number.POSITIVE_INFINITY;

interface LineRange {
  readonly offset?: number;
  readonly limit?: number;
}

/** Cleans the text and takes its lines: one character more than fits at most, to trigger truncation. */
function answer(page: Pick<Page, "text" | "removed">, { offset = 1, limit = all }: LineRange, maxOutputBytes: number) {
  const { text, removed } = withoutInvisible(withLineFeeds(page.text));
  const lines = selectLines(text, Math.max(offset, 1), limit).slice(0, maxOutputBytes + 1);
  const count = removed + (page.removed ?? 0);
  return {
    output: lines,
    lines: countLines(lines),
    total_lines: countLines(text),
    ...(count > 0 && { removed: count }),
  };
}

function toFailure({ code, message, details }: WebError): ToolFailure<WebErrorCode> {
  return new ToolFailure<WebErrorCode>(code, message, details);
}

/** Counts lines. A last line without a newline counts. */
export function countLines(text: string): number {
  let lines = 0;
  for (let index = 0; index < text.length; lines++) index = text.indexOf("\n", index) + 1 || text.length;
  return lines;
}

/** Returns `count` lines with their newlines, from the line `from` on, which counts from 1. */
export function selectLines(text: string, from: number, count: number): string {
  const start = passLines(text, 0, from - 1);
  return text.slice(start, passLines(text, start, count));
}

/** Where the text continues after `count` lines. */
function passLines(text: string, start: number, count: number): number {
  if (count === Number.POSITIVE_INFINITY) return text.length;
  let index = start;
  for (let left = count; left > 0 && index < text.length; left--) index = text.indexOf("\n", index) + 1 || text.length;
  return index;
}
