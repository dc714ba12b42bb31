// Blocks in nested quotations and list items, each line with its prefix; and the items of lists.

import type { Attributes } from "./page.ts";

interface Container {
  /** What the first line begins with: a list item's marker. */
  readonly marker: string;
  /** What all other lines begin with. */
  readonly rest: string;
  isStarted: boolean;
}

/** Real pages stay below. Without a limit the prefixes of lines would take space that grows with the square of a page's size. */
const maxContainers = 10;

/** Writes blocks into nested quotations and list items. */
export class Blocks {
  readonly #out: string[] = [];
  readonly #maxChars: number;
  readonly #containers: Container[] = [];
  #length = 0;
  /** How many of the open containers the last block was in too. */
  #shared = 0;
  #count = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  /** How many blocks have been written. */
  get count(): number {
    return this.#count;
  }

  get depth(): number {
    return this.#containers.length;
  }

  /** Whether a container has a block. */
  isStartedAt(index: number): boolean {
    return this.#containers[index]?.isStarted ?? true;
  }

  open(marker: string, rest: string): void {
    const isTooDeep = this.#containers.length >= maxContainers;
    this.#containers.push(isTooDeep ? { marker: "", rest: "", isStarted: true } : { marker, rest, isStarted: false });
  }

  close(): void {
    this.#containers.pop();
    this.#shared = Math.min(this.#shared, this.#containers.length);
  }

  /** Writes a block, after an empty line or, if it is tight, directly below the last one. */
  write(block: string, isTight: boolean): void {
    this.#count += 1;
    if (this.#length >= this.#maxChars) return;
    if (this.#out.length > 0) {
      this.#add("\n");
      if (!isTight) this.#add(`${this.#rests(this.#shared).trimEnd()}\n`);
    }
    const first = this.#containers.slice(0, maxContainers).map(startOf).join("");
    for (const container of this.#containers.slice(0, maxContainers)) container.isStarted = true;
    const { length } = this.#containers;
    const rest = this.#rests(length);
    const fitting = this.#start(block, rest);
    this.#add(first + (rest === "" ? fitting : indented(fitting, rest)));
    this.#shared = length;
  }

  toString(): string {
    return this.#out.join("");
  }

  /** As much of a block as fits, if all its lines begin with `rest`. */
  #start(block: string, rest: string): string {
    let left = this.#maxChars - this.#length;
    for (let from = 0; from < block.length; ) {
      const end = block.indexOf("\n", from) + 1 || block.length;
      left -= end - from + rest.length;
      if (left < 0) return block.slice(0, Math.max(from, end + left));
      from = end;
    }
    return block;
  }

  #rests(count: number): string {
    return this.#containers
      .slice(0, Math.min(count, maxContainers))
      .map(({ rest }) => rest)
      .join("");
  }

  #add(text: string): void {
    this.#out.push(text);
    this.#length += text.length;
  }
}

function startOf({ isStarted, marker, rest }: Container): string {
  return isStarted ? rest : marker;
}

function indented(block: string, rest: string): string {
  const emptyRest = rest.trimEnd();
  return block.replace(/\n(?=(\n?))/g, (_, next) => (next ? `\n${emptyRest}` : `\n${rest}`));
}

interface List {
  readonly isOrdered: boolean;
  /** The character of its markers, which tells adjacent lists apart. */
  readonly marker: string;
  readonly depth: number;
  number: number;
  readonly step: number;
  isOpen: boolean;
  items: number;
  /** Whether an item has several blocks, so that empty lines separate its items. */
  isLoose: boolean;
}

/** Opens and closes the items of nested lists. A definition list is a list whose items begin with the term. */
export class Lists {
  readonly #blocks: Blocks;
  readonly #lists: List[] = [];
  /** The list that was closed last, and how many blocks there were at that time. */
  #closed: { list: List; count: number } | undefined;
  #textCount = -1;
  #textDepth = -1;

  constructor(blocks: Blocks) {
    this.#blocks = blocks;
  }

  open(name: string, attributes: Attributes): void {
    const isOrdered = name === "ol";
    const { depth, count } = this.#blocks;
    const closed = this.#closed?.count === count && this.#closed.list.depth === depth ? this.#closed.list : undefined;
    const [usual, other] = isOrdered ? [".", ")"] : ["-", "*"];
    const marker = closed?.isOrdered === isOrdered && closed.marker === usual ? other : usual;
    const number = integer(attributes.get("start")) ?? 1;
    const step = attributes.has("reversed") ? -1 : 1;
    this.#lists.push({
      isOrdered,
      marker: marker ?? usual ?? "-",
      depth,
      number,
      step,
      isOpen: false,
      items: 0,
      isLoose: false,
    });
  }

  close(): void {
    this.endItem();
    const list = this.#lists.pop();
    if (list && list.items > 0) this.#closed = { list, count: this.#blocks.count };
  }

  /** Begins an item; outside of a list, or in a quotation inside one, it is a block like others. */
  startItem(attributes: Attributes): void {
    const list = this.#lists.at(-1);
    if (!list) return;
    this.endItem();
    if (this.#blocks.depth !== list.depth) return;
    list.number = integer(attributes.get("value")) ?? list.number;
    const number = Math.min(Math.max(list.number, 0), 999_999_999);
    const marker = list.isOrdered ? `${number}${list.marker} ` : `${list.marker} `;
    this.#blocks.open(marker, " ".repeat(marker.length));
    list.isOpen = true;
  }

  /** Continues the item of a term with its definition. */
  continueItem(): void {
    if (this.#lists.at(-1)?.isOpen === false) this.startItem(new Map());
  }

  endItem(): void {
    const list = this.#lists.at(-1);
    if (!list || !this.isInItem) return;
    if (this.#blocks.isStartedAt(list.depth)) list.items += 1;
    list.number += list.step;
    list.isOpen = false;
    this.#blocks.close();
  }

  /** Notes that the last block was the text of an item, which a nested list may follow directly. */
  noteText(): void {
    this.#textCount = this.#blocks.count;
    this.#textDepth = this.#blocks.depth;
  }

  /** Whether the next block goes directly below the last one. */
  isNextTight(): boolean {
    const index = this.#lists.findIndex((one) => one.isOpen && !this.#blocks.isStartedAt(one.depth));
    const list = this.#lists[index];
    if (!list) {
      const around = this.#lists.at(-1);
      if (around?.isOpen) around.isLoose = true;
      return false;
    }
    if (list.items > 0) return !list.isLoose;
    const outer = this.#lists[index - 1];
    if (!outer?.isOpen) return false;
    const follows = this.#textCount === this.#blocks.count && this.#textDepth === list.depth;
    if (follows && (!list.isOrdered || list.number === 1)) return true;
    outer.isLoose = true;
    return false;
  }

  /** Whether an item has just begun. */
  get isAtStart(): boolean {
    return this.isInItem && !this.#blocks.isStartedAt(this.#blocks.depth - 1);
  }

  /** Whether the innermost open container is an item of the innermost list. */
  get isInItem(): boolean {
    const list = this.#lists.at(-1);
    return list?.isOpen === true && this.#blocks.depth === list.depth + 1;
  }
}

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}
