import { NameCounts } from "./name-counts.ts";
import type { Tag } from "./page.ts";

/** The open elements, the outermost first, with the number of each name, so that an end tag without a start tag costs nothing. */
export class OpenElements {
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
