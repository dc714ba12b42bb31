import { Candidates } from "./candidates.ts";
import * as rules from "./element-rules.ts";
import { NameCounts } from "./name-counts.ts";
import { OpenElements } from "./open-elements.ts";
import type { Attributes, Page, PageEvent, Tag } from "./page.ts";
import { cleanTitle, hasReadAttributes, isJavaScript, maxTitleChars, visibleLength } from "./page-facts.ts";
import { omissionOf } from "./parts.ts";
import { shapeOf, TableShapes } from "./table-shapes.ts";

/** As in browsers, which have 512. Whatever is nested deeper becomes a sibling. */
const maxDepth = 256;
const noAttributes: Attributes = new Map();
const headings = new Set(["h1", "h2", "h3", "h4", "h5", "h6"]);

/** Builds a page from tags and text, closing elements where a browser would. */
export class PageBuilder {
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
    if (rules.tableParts.has(name) && !this.#open.has("table")) return;
    if (rules.endsForeignContent.has(name)) while (this.isForeign) this.#pop();
    const isForeign = this.isForeign || name === "svg" || name === "math";
    if (!isForeign) this.#closeImplied(name);
    if (rules.voidElements.has(name) && !isForeign) {
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
      ? this.#open.find(headings, rules.scopeOf(name))
      : this.#open.findOne(name, rules.scopeOf(name));
    if (index < 0 || (index < this.#skipDepth && !rules.blockElements.has(name))) return;
    if (rules.formattingElements.has(name) && index < this.#open.depth - 1 && index !== this.#skipDepth) {
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
    if (rules.closesParagraph.has(name)) {
      const paragraph = this.#open.findOne("p", rules.paragraphScope);
      if (paragraph >= 0) this.#popTo(paragraph);
    }
    const current = this.#open.at(this.#open.depth - 1)?.name ?? "";
    if (headings.has(name) && headings.has(current)) this.#pop();
    const ends = rules.impliedEnds.get(name);
    if (!ends) return;
    if (name === "a") {
      if (this.#open.findOne("a", ends[1]) >= 0) this.end("a");
      return;
    }
    for (let index = this.#open.find(...ends); index >= 0; index = this.#open.find(...ends)) this.#popTo(index);
  }

  #addVoid(name: string, attributes: Attributes): void {
    if (this.isSkipping || rules.isHidden(name, attributes)) return;
    if (name === "hr") this.#tables.note(name);
    if (name === "img" || (name === "input" && attributes.get("type")?.toLowerCase() === "checkbox"))
      this.#events.push({ name, attributes });
    else if (name === "br" || name === "hr") this.#events.push(this.#plainTag(name));
  }

  #push(name: string, attributes: Attributes): void {
    const beginsOpen = (other: string) => this.#open.has(other) && this.#textLength === this.#headingStart;
    const skips = this.isSkipping || rules.isSkipped(name, beginsOpen) || rules.isHidden(name, attributes);
    const tag = skips ? this.#plainTag(name) : this.#tagOf(name, attributes);
    if (skips && !this.isSkipping) this.#skipDepth = this.#open.depth;
    this.#open.push(tag);
    if (skips) return;
    const from = this.#events.length;
    if (rules.isWritten(name) || tag.omit) this.#events.push(tag);
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
    if (rules.isWritten(name) || name === "br") this.#plainTags.set(name, tag);
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
    if (!rules.isWritten(name)) return;
    const closing = this.#closingTags.get(name) ?? { closes: name };
    this.#closingTags.set(name, closing);
    this.#events.push(closing);
  }
}
