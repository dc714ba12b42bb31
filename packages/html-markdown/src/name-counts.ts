/** How often each name is there. */
export class NameCounts {
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
