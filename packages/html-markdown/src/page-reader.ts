import { hasInvisible, withoutInvisible } from "@ikigai/system";
import { Tokenizer } from "htmlparser2";
import type { Attributes, Page } from "./page.ts";
import { PageBuilder } from "./page-builder.ts";

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
