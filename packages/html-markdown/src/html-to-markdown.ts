import { Blocks } from "./blocks.ts";
import { LinkTargets } from "./link-targets.ts";
import { choosePart } from "./main-part.ts";
import { MarkdownWriter } from "./markdown-writer.ts";
import type { Page } from "./page.ts";
import { readPage } from "./page-reader.ts";

/** A web page as Markdown. */
export interface ConvertedPage {
  /** The main text. It has no control characters but line feeds, and tabs inside code blocks; it does not end with a line feed. */
  readonly markdown: string;
  /** The text of `<title>`, cut to 300 characters. */
  readonly title?: string;
  /** How many characters that are not white space are visible on the whole page. */
  readonly textLength: number;
  /** Whether the page has JavaScript. */
  readonly hasScript: boolean;
  /** How many invisible characters were removed from its visible text. */
  readonly removed: number;
}

/** Real pages grow to at most four times their size; hostile ones could multiply long link targets and deep indentation. */
const maxGrowth = 8;
const alwaysAllowedChars = 65_536;

/**
 * Converts the main text of a web page to Markdown (CommonMark with GitHub's tables, task lists and strikethrough).
 *
 * Text of the page is escaped and has no invisible characters, so that it reads the same and adds no headings, links or code of its own. Takes linear time.
 * @param html - the page, decoded
 * @param base - the URL of the page, which relative links start from
 */
export function htmlToMarkdown(html: string, base: string): ConvertedPage {
  const page = readPage(html);
  const maxChars = maxGrowth * html.length + alwaysAllowedChars;
  // Half of it, so that the text of a page with too many links is not cut.
  const targets = new LinkTargets(base, page.base, maxChars / 2);
  const write = (withBoilerplate: boolean) => {
    const blocks = new Blocks(maxChars);
    return new MarkdownWriter(blocks, targets).write(page, choosePart(page, withBoilerplate));
  };
  const markdown = write(false) || (page.textLength > 0 ? write(true) : "");
  const { textLength, hasScript, removed } = page;
  return { markdown, ...titleOf(page), textLength, hasScript, removed };
}

function titleOf({ title }: Page): { title?: string } {
  return title ? { title } : {};
}
