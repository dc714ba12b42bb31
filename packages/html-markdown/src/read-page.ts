// Reads a page in one pass. In order: what the tokenizer finds (PageReader), the page built from it, with elements closed where a
// browser would close them (PageBuilder), the candidates for its main text, and the open elements.

import { hasInvisible, withoutInvisible } from "@ikigai/system";
import { Tokenizer } from "htmlparser2";
import { languageOfClass } from "./escape.ts";
import {
  type Attributes,
  blockElements,
  type Candidate,
  closesParagraph,
  endsForeignContent,
  formattingElements,
  impliedEnds,
  isHidden,
  isSkipped,
  isWritten,
  type Page,
  type PageEvent,
  paragraphScope,
  scopeOf,
  type Tag,
  tableParts,
  voidElements,
} from "./page.ts";
import { shapeOf, TableShapes } from "./table.ts";

const readAttributes = new Set(
  (
    "alt aria-hidden checked class colspan data-lang data-language data-src hidden href open reversed role rowspan src start style " +
    "type value"
  ).split(" "),
);
const noAttributes: Attributes = new Map();

/** Reads a page in one pass. */
export function readPage(html: string): Page {
  const reader = new PageReader(html);
  const tokenizer = new Tokenizer({ xmlMode: false, decodeEntities: true }, reader);
  tokenizer.write(html);
  tokenizer.end();
  return reader.page();
}

/**
 * Takes what the tokenizer finds. The library's own parser is not used: its stack and its search for end tags take quadratic time,
 * and it keeps every attribute.
 */
class PageReader {
  readonly #html: string;
  readonly #hasInvisible: boolean;
  readonly #builder = new PageBuilder();
  #removed = 0;
  #name = "";
  #attributes: Map<string, string> | undefined;
  /** The attribute being read; empty if its value does not matter. */
  #attribute = "";
  #value = "";

  constructor(html: string) {
    this.#html = html;
    this.#hasInvisible = hasInvisible(html);
  }

  page(): Page {
    return { ...this.#builder.page(), removed: this.#removed };
  }

  ontext(start: number, end: number): void {
    this.#text(this.#html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    const text = String.fromCodePoint(codePoint);
    if (hasInvisible(text)) this.#noteRemoved(1);
    else this.#builder.text(text);
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#html.slice(start, end).toLowerCase();
    this.#attributes = undefined;
  }

  onattribname(start: number, end: number): void {
    const name = end - start > 13 ? "" : this.#html.slice(start, end).toLowerCase();
    this.#attribute = readAttributes.has(name) && !this.#attributes?.has(name) ? name : "";
    this.#value = "";
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute) this.#value += this.#html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.#attribute) this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (!this.#attribute) return;
    this.#attributes ??= new Map();
    this.#attributes.set(this.#attribute, this.#value);
  }

  onopentagend(): void {
    this.#builder.start(this.#name, this.#attributes ?? noAttributes, false);
  }

  onselfclosingtag(): void {
    this.#builder.start(this.#name, this.#attributes ?? noAttributes, true);
  }

  onclosetag(start: number, end: number): void {
    this.#builder.end(this.#html.slice(start, end).toLowerCase());
  }

  oncdata(start: number, end: number, endOffset: number): void {
    if (this.isInForeignContext()) this.#text(this.#html.slice(start, end - endOffset));
  }

  isInForeignContext(): boolean {
    return this.#builder.isForeign;
  }

  /** Invisible characters go before anything else is done: between two others they would change what Markdown reads. */
  #text(text: string): void {
    if (!this.#hasInvisible) {
      this.#builder.text(text);
      return;
    }
    const { text: visible, removed } = withoutInvisible(text);
    this.#noteRemoved(removed);
    if (visible !== "") this.#builder.text(visible);
  }

  #noteRemoved(count: number): void {
    if (!this.#builder.isSkipping) this.#removed += count;
  }

  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}

/** As in browsers, which have 512. Whatever is nested deeper becomes a sibling. */
const maxDepth = 256;
const headings = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);

/** Builds a page from tags and text, closing elements where a browser would. */
class PageBuilder {
  readonly #open = new OpenElements();
  readonly #events: PageEvent[] = [];
  readonly #candidates = new Candidates();
  readonly #tables = new TableShapes();
  /** Tags without attributes, and closing tags, one object for each name. */
  readonly #plainTags = new Map<string, Tag>();
  readonly #closingTags = new Map<string, { closes: string }>();
  /** Depth of the element whose text is skipped; -1 outside. */
  #skipDepth = -1;
  #boilerplateDepth = 0;
  #formDepth = 0;
  #title: string | undefined;
  #base: string | undefined;
  #hasScript = false;
  #textLength = 0;
  /** Length of the text before the last heading. */
  #headingStart = 0;
  #mainTextLength = 0;
  #formTextLength = 0;
  /** Elements nested too deeply, inside one whose text is skipped. */
  readonly #deeper = new NameCounts();

  get isForeign(): boolean {
    return (this.#open.has("svg") || this.#open.has("math")) && !this.#open.has("foreignobject");
  }

  /** Whether the text of the open elements is not the page's. */
  get isSkipping(): boolean {
    return this.#skipDepth >= 0;
  }

  text(text: string): void {
    if (this.isSkipping) {
      const isTitle = this.#open.at(this.#skipDepth)?.name === "title";
      if (isTitle && (this.#title?.length ?? 0) < 4 * maxTitleChars) this.#title = (this.#title ?? "") + text;
      return;
    }
    this.#events.push(text);
    const length = visibleLength(text);
    this.#textLength += length;
    if (this.#boilerplateDepth === 0) this.#mainTextLength += length;
    if (this.#boilerplateDepth === 0 && this.#formDepth > 0) this.#formTextLength += length;
  }

  start(name: string, attributes: Attributes, isSelfClosing: boolean): void {
    if (name === "html" || name === "head" || name === "body") return;
    if (name === "base") this.#base ??= attributes.get("href");
    if (name === "script" && isJavaScript(attributes)) this.#hasScript = true;
    if (tableParts.has(name) && !this.#open.has("table")) return;
    if (endsForeignContent.has(name)) while (this.isForeign) this.#pop();
    const isForeign = this.isForeign || name === "svg" || name === "math";
    if (!isForeign) this.#closeImplied(name);
    if (voidElements.has(name) && !isForeign) {
      this.#addVoid(name, attributes);
      return;
    }
    if (isForeign && isSelfClosing) return;
    const isTooDeep = this.#open.depth >= maxDepth;
    if (isTooDeep && this.isSkipping) {
      this.#deeper.add(name);
      return;
    }
    if (isTooDeep) this.#pop();
    this.#push(name, attributes);
  }

  end(name: string): void {
    if (this.isSkipping && this.#deeper.remove(name)) return;
    if (name === "br") this.#addVoid(name, noAttributes);
    const index = headings.has(name)
      ? this.#open.find(headings, scopeOf(name))
      : this.#open.findOne(name, scopeOf(name));
    if (index < 0 || (index < this.#skipDepth && !blockElements.has(name))) return;
    if (formattingElements.has(name) && index < this.#open.depth - 1 && index !== this.#skipDepth) {
      if (!this.isSkipping) this.#logEnd(name);
      this.#open.remove(index);
    } else {
      this.#popTo(index);
    }
  }

  page(): Omit<Page, "removed"> {
    this.#popTo(0);
    const title = cleanTitle(this.#title ?? "");
    return {
      events: this.#events,
      candidates: this.#candidates.all,
      title,
      ...(this.#base === undefined ? {} : { base: this.#base }),
      textLength: this.#textLength,
      mainTextLength: this.#mainTextLength,
      formTextLength: this.#formTextLength,
      hasScript: this.#hasScript,
    };
  }

  #closeImplied(name: string): void {
    if (closesParagraph.has(name)) {
      const paragraph = this.#open.findOne("p", paragraphScope);
      if (paragraph >= 0) this.#popTo(paragraph);
    }
    const current = this.#open.at(this.#open.depth - 1)?.name ?? "";
    if (headings.has(name) && headings.has(current)) this.#pop();
    const ends = impliedEnds.get(name);
    if (!ends) return;
    if (name === "a") {
      if (this.#open.findOne("a", ends[1]) >= 0) this.end("a");
      return;
    }
    for (let index = this.#open.find(...ends); index >= 0; index = this.#open.find(...ends)) this.#popTo(index);
  }

  #addVoid(name: string, attributes: Attributes): void {
    if (this.isSkipping || isHidden(name, attributes)) return;
    if (name === "hr") this.#tables.note(name);
    if (name === "img" || (name === "input" && attributes.get("type")?.toLowerCase() === "checkbox"))
      this.#events.push({ name, attributes });
    else if (name === "br" || name === "hr") this.#events.push(this.#plainTag(name));
  }

  #push(name: string, attributes: Attributes): void {
    const beginsOpen = (other: string) => this.#open.has(other) && this.#textLength === this.#headingStart;
    const skips = this.isSkipping || isSkipped(name, beginsOpen) || isHidden(name, attributes);
    const tag = skips ? this.#plainTag(name) : this.#tagOf(name, attributes);
    if (skips && !this.isSkipping) this.#skipDepth = this.#open.depth;
    this.#open.push(tag);
    if (skips) return;
    const from = this.#events.length;
    if (isWritten(name) || tag.omit) this.#events.push(tag);
    if (headings.has(name) || name === "summary" || name === "dt") this.#headingStart = this.#textLength;
    this.#tables.note(name);
    if (tag.table) this.#tables.open(tag.table);
    if (tag.omit === "boilerplate") this.#boilerplateDepth += 1;
    if (tag.omit === "form") this.#formDepth += 1;
    const isMain = name === "main" || attributes.get("role") === "main";
    if ((isMain || name === "article") && this.#boilerplateDepth === 0)
      this.#candidates.open(tag, isMain, from, this.#mainTextLength);
  }

  #tagOf(name: string, attributes: Attributes): Tag {
    const omit = omissionOf(name, attributes, (other) => this.#open.has(other));
    if (name === "table") return { name, attributes, table: shapeOf(attributes) };
    if (omit) return { name, attributes, omit };
    const isOwn = name === "main" || name === "article" || attributes.get("role") === "main";
    return isOwn || hasReadAttributes(name, attributes) ? { name, attributes } : this.#plainTag(name);
  }

  #plainTag(name: string): Tag {
    const known = this.#plainTags.get(name);
    if (known) return known;
    const tag = { name, attributes: noAttributes };
    if (isWritten(name) || name === "br") this.#plainTags.set(name, tag);
    return tag;
  }

  #popTo(index: number): void {
    while (this.#open.depth > index) this.#pop();
  }

  #pop(): void {
    const tag = this.#open.pop();
    if (!tag) return;
    const { depth } = this.#open;
    if (this.isSkipping) {
      if (this.#skipDepth !== depth) return;
      this.#skipDepth = -1;
      this.#deeper.clear();
      return;
    }
    if (tag.omit === "boilerplate") this.#boilerplateDepth -= 1;
    if (tag.omit === "form") this.#formDepth -= 1;
    if (tag.table) this.#tables.close();
    this.#logEnd(tag.name);
    if (tag.omit || tag.table) tag.end = this.#events.length;
    this.#candidates.close(tag, this.#events.length, this.#mainTextLength);
  }

  #logEnd(name: string): void {
    if (!isWritten(name)) return;
    const closing = this.#closingTags.get(name) ?? { closes: name };
    this.#closingTags.set(name, closing);
    this.#events.push(closing);
  }
}

/** Collects the elements that may be the main part of a page. */
class Candidates {
  readonly all: Candidate[] = [];
  readonly #open: { tag: Tag; candidate: Candidate }[] = [];

  /** @param textLength of the page so far. */
  open(tag: Tag, isMain: boolean, from: number, textLength: number): void {
    const candidate = { isMain, from, end: 0, textLength: -textLength };
    this.all.push(candidate);
    this.#open.push({ tag, candidate });
  }

  /** Ends the innermost one if it is this element. */
  close(tag: Tag, end: number, textLength: number): void {
    const last = this.#open.at(-1);
    if (last?.tag !== tag) return;
    last.candidate.textLength += textLength;
    last.candidate.end = end;
    this.#open.pop();
  }
}

const boilerplateRoles = /^(?:navigation|search|banner|contentinfo|dialog|alertdialog)$/;

/**
 * Whether an element is left out of the main text.
 *
 * A header outside of `main`, `article` and `section` is the page's; inside it holds a heading and is kept. A footer inside a
 * quotation names its source.
 */
function omissionOf(name: string, attributes: Attributes, isIn: (name: string) => boolean): Tag["omit"] {
  if (name === "nav" || name === "aside" || boilerplateRoles.test(attributes.get("role") ?? "")) return "boilerplate";
  if (name === "header" && !isIn("main") && !isIn("article") && !isIn("section")) return "boilerplate";
  if (name === "footer" && !isIn("blockquote")) return "boilerplate";
  return name === "form" ? "form" : undefined;
}

const maxTitleChars = 300;

/** Whether a script is run: others hold data. */
function isJavaScript(attributes: Attributes): boolean {
  const type = attributes.get("type") ?? "";
  return type === "" || /javascript|ecmascript|module/i.test(type);
}

function cleanTitle(title: string): string {
  return title
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim()
    .slice(0, maxTitleChars)
    .toWellFormed();
}

/** Characters that are not white space. */
function visibleLength(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 32) length += 1;
  return length;
}

/** Whether the writer reads an attribute of an element. */
function hasReadAttributes(name: string, attributes: Attributes): boolean {
  if (attributes.size === 0) return false;
  return /^(?:a|ol|li|td|th|pre|code)$/.test(name) || languageOfClass(attributes) !== undefined;
}

/** How often each name is there. */
class NameCounts {
  readonly #counts = new Map<string, number>();

  has(name: string): boolean {
    return this.#counts.has(name);
  }

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Takes one away. Returns false if the name was not there. */
  remove(name: string): boolean {
    const count = this.#counts.get(name) ?? 0;
    if (count > 1) this.#counts.set(name, count - 1);
    else this.#counts.delete(name);
    return count > 0;
  }

  clear(): void {
    this.#counts.clear();
  }
}

/** The open elements, the outermost first, with the number of each name, so that an end tag without a start tag costs nothing. */
class OpenElements {
  readonly #tags: Tag[] = [];
  readonly #names = new NameCounts();

  get depth(): number {
    return this.#tags.length;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  at(index: number): Tag | undefined {
    return this.#tags[index];
  }

  push(tag: Tag): void {
    this.#tags.push(tag);
    this.#names.add(tag.name);
  }

  pop(): Tag | undefined {
    const tag = this.#tags.pop();
    if (tag) this.#names.remove(tag.name);
    return tag;
  }

  /** Removes one from among the others. */
  remove(index: number): void {
    const [tag] = this.#tags.splice(index, 1);
    if (tag) this.#names.remove(tag.name);
  }

  /** The index of the innermost element with one of the names that is not outside an element of the scope; -1 if no element matches. */
  find(names: ReadonlySet<string>, scope: ReadonlySet<string>): number {
    if (!this.#hasAny(names)) return -1;
    return this.#search((name) => names.has(name), scope);
  }

  findOne(name: string, scope: ReadonlySet<string>): number {
    return this.has(name) ? this.#search((other) => other === name, scope) : -1;
  }

  #hasAny(names: ReadonlySet<string>): boolean {
    for (const name of names) if (this.has(name)) return true;
    return false;
  }

  #search(matches: (name: string) => boolean, scope: ReadonlySet<string>): number {
    for (let index = this.#tags.length - 1; index >= 0; index--) {
      const name = this.#tags[index]?.name ?? "";
      if (matches(name)) return index;
      if (scope.has(name)) return -1;
    }
    return -1;
  }
}
