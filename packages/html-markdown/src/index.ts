// Converts a web page: reads it, chooses the part to be written, and writes that as Markdown.

import { Blocks } from "./blocks.ts";
import { LinkTargets } from "./link-targets.ts";
import { MarkdownWriter } from "./markdown-writer.ts";
import type { Candidate, Page, PagePart, Tag } from "./page.ts";
import { readPage } from "./read-page.ts";

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

const minShareOfMain = 0.4;
const minShareOfForm = 0.5;

/** Finds the main text: the largest `main`, otherwise the largest `article`, if it holds enough of the text; otherwise everything. */
export function choosePart(page: Page, withBoilerplate: boolean): PagePart {
  const whole = { from: 0, end: page.events.length };
  if (withBoilerplate) return { ...whole, omits: () => false };
  const enough = minShareOfMain * page.mainTextLength;
  const candidates = page.candidates.filter(({ textLength }) => textLength > 0 && textLength >= enough);
  const main = largest(candidates.filter(({ isMain }) => isMain)) ?? largest(candidates);
  // Some servers wrap the whole page in one form.
  const keepsForms = page.formTextLength >= minShareOfForm * page.mainTextLength;
  const omits = ({ omit }: Tag) => omit === "boilerplate" || (omit === "form" && !keepsForms);
  return { from: main?.from ?? whole.from, end: main?.end ?? whole.end, omits };
}

function largest(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, one) => (best && best.textLength >= one.textLength ? best : one),
    undefined,
  );
}
