// Writes the events of a page as Markdown, block by block: headings, lists, quotations, tables, code, links and images.

import { withoutInvisible } from "@ikigai/system";
import { type Blocks, Lists } from "./blocks.ts";
import { anything, codeBlock, escapeText, isPreformatted, languageOfClass, readCode } from "./escape.ts";
import { Inline, markOf, OpenMarks, type Place, renderInline, type TextKind } from "./inline.ts";
import type { LinkTargets } from "./link-targets.ts";
import { type Attributes, blockElements, type Page, type PageEvent, type PagePart, type Tag } from "./page.ts";
import { isData, Table } from "./table.ts";

const lists = /^(?:ul|ol|menu|dir|dl)$/;
const headings = /^h[1-6]$/;
/** What cannot be part of a heading. Other blocks in headings only separate words. */
const ownBlocks = /^(?:h[1-6]|table|td|th|li|dt|dd|blockquote|ul|ol|menu|dir|dl)$/;
/** Highlighters put the language on an element at most this many levels above the code. */
const maxLanguageLevels = 3;

/** Writes the events of a page as Markdown. */
export class MarkdownWriter {
  readonly #blocks: Blocks;
  readonly #targets: LinkTargets;
  readonly #lists: Lists;
  readonly #inline = new Inline();
  /** For each open block the language that it names. */
  readonly #languages: (string | undefined)[] = [];
  /** For each open link where its text begins, if it leads to the same page. */
  readonly #anchors: (Place | undefined)[] = [];
  readonly #marks = new OpenMarks();
  #headingLevel = 0;
  #table: Table | undefined;
  #cell: Attributes | undefined;

  constructor(blocks: Blocks, targets: LinkTargets) {
    this.#blocks = blocks;
    this.#targets = targets;
    this.#lists = new Lists(blocks);
  }

  /** Writes one part of a page, without the elements that are left out of it. */
  write({ events }: Page, { from, end, omits }: PagePart): string {
    for (let index = from; index < end; ) {
      const event = events[index++];
      if (event === undefined) break;
      if (typeof event === "string") this.#inline.text(event, this.#marks.innermost);
      else if ("closes" in event) this.#close(event.closes);
      else if (omits(event)) index = event.end ?? index;
      else if (isPreformatted(event)) index = this.#writeCode(events, index, event);
      else this.#open(event);
    }
    this.#flush();
    return this.#blocks.toString();
  }

  #open(tag: Tag): void {
    const { name, attributes } = tag;
    if (name === "br") this.#break();
    else if (name === "img") this.#inline.raw(imageOf(attributes, this.#targets), this.#marks.innermost);
    else if (name === "input") this.#checkbox(attributes);
    else if (name === "hr") this.#rule();
    else if (blockElements.has(name)) this.#openBlock(tag);
    else this.#openInline(name, attributes);
  }

  #openBlock(tag: Tag): void {
    const { name, attributes } = tag;
    this.#separate();
    this.#languages.push(languageOfClass(attributes));
    if (name === "dt" || name === "summary") this.#marks.open(name);
    if (this.#cell && name === "li") this.#inline.text("- ", this.#marks.innermost);
    if (this.#cell) return;
    if (ownBlocks.test(name)) this.#flush();
    if (headings.test(name)) this.#headingLevel = Number(name[1]);
    else if (name === "table" && isData(tag)) this.#table = new Table();
    else if ((name === "td" || name === "th") && this.#table) this.#cell = attributes;
    else this.#openContainer(name, attributes);
  }

  #close(name: string): void {
    if (!blockElements.has(name)) this.#closeInline(name);
    else if (name === "td" || name === "th") this.#endCell(name);
    else this.#closeBlock(name);
  }

  #closeBlock(name: string): void {
    this.#languages.pop();
    this.#separate();
    if (name === "dt" || name === "summary") this.#marks.close(name);
    if (this.#cell) return;
    if (ownBlocks.test(name)) this.#flush();
    if (headings.test(name)) this.#headingLevel = 0;
    else if (name === "tr") this.#table?.endRow();
    else if (name === "table") this.#endTable();
    else if (lists.test(name)) this.#lists.close();
    else if (name === "li") this.#lists.endItem();
    else if (name === "blockquote") this.#blocks.close();
  }

  #openContainer(name: string, attributes: Attributes): void {
    if (name === "li" || name === "dt") this.#lists.startItem(attributes);
    else if (name === "dd") this.#lists.continueItem();
    else if (name === "blockquote") this.#blocks.open("> ", "> ");
    else if (lists.test(name)) this.#lists.open(name, attributes);
  }

  #openInline(name: string, attributes: Attributes): void {
    if (name === "q") this.#inline.text('"', this.#marks.innermost);
    const href = name === "a" ? attributes.get("href") : undefined;
    const isSamePage = href !== undefined && this.#targets.isSamePage(href);
    if (name === "a") this.#anchors.push(isSamePage ? this.#inline.mark() : undefined);
    const url = href === undefined || isSamePage ? undefined : this.#targets.resolve(href);
    this.#marks.open(name, url);
  }

  #closeInline(name: string): void {
    if (name === "q") this.#inline.text('"', this.#marks.innermost);
    this.#marks.close(name);
    const anchor = name === "a" ? this.#anchors.pop() : undefined;
    if (anchor) this.#inline.dropSymbols(anchor);
  }

  /** Two line breaks separate paragraphs. */
  #break(): void {
    if (this.#headingLevel > 0 && !this.#cell) this.#inline.space();
    else if (this.#inline.isAfterBreak && !this.#cell) this.#flush();
    else this.#inline.break();
  }

  #checkbox(attributes: Attributes): void {
    if (this.#cell || !this.#inline.isEmpty || !this.#lists.isAtStart) return;
    this.#inline.raw(attributes.has("checked") ? "[x]" : "[ ]", undefined);
    this.#inline.space();
  }

  #rule(): void {
    this.#separate();
    // Hyphens after a list item's marker would be a rule without an item.
    if (!this.#cell) this.#write(this.#blocks.isStartedAt(this.#blocks.depth - 1) ? "---" : "___");
  }

  #writeCode(events: readonly PageEvent[], start: number, tag: Tag): number {
    const { text, language, end } = readCode(events, start, tag);
    if (this.#cell) {
      this.#inline.text(text, markOf("code", this.#marks.innermost));
    } else {
      this.#flush();
      const around = this.#languages.slice(-maxLanguageLevels).findLast((one) => one !== undefined);
      const block = codeBlock(text, language ?? around);
      if (block) this.#write(block);
    }
    return end + 1;
  }

  #endCell(name: string): void {
    this.#languages.pop();
    if (!this.#cell) this.#flush();
    else this.#table?.addCell(this.#render("cell"), this.#cell, name === "th");
    this.#cell = undefined;
  }

  #endTable(): void {
    const table = this.#table?.toString();
    this.#table = undefined;
    if (table) this.#write(table);
  }

  /** Ends the line of text: the paragraph, unless it is in a heading or a cell. */
  #separate(): void {
    if (this.#cell) this.#inline.break();
    else if (this.#headingLevel > 0) this.#inline.space();
    else this.#flush();
  }

  #flush(): void {
    if (this.#inline.isEmpty) return;
    const level = this.#headingLevel;
    const text = this.#render(level > 0 ? "heading" : "paragraph");
    this.#write(level > 0 ? `${"#".repeat(level)} ${text}` : text);
    if (level === 0) this.#lists.noteText();
  }

  #render(kind: TextKind): string {
    return renderInline(this.#inline.take(), kind, (url) => this.#targets.take(url));
  }

  #write(block: string): void {
    this.#blocks.write(block, this.#lists.isNextTight());
  }
}

/** An image as Markdown; only its description if its address is not one to fetch, and nothing without a description. */
export function imageOf(attributes: Attributes, targets: LinkTargets): string {
  const description = withoutInvisible(attributes.get("alt") ?? "")
    .text.replace(/\s+/g, " ")
    .trim();
  if (description === "") return "";
  const alt = escapeText(description, { before: anything, after: anything, isInBrackets: true, isFirst: false });
  // Pages that load images late have a placeholder in src.
  const sources = [attributes.get("src"), attributes.get("data-src")];
  for (const source of sources) {
    const url = source && targets.resolve(source);
    if (url && !url.startsWith("mailto:") && targets.take(url)) return `![${alt}](${url})`;
  }
  return alt;
}
