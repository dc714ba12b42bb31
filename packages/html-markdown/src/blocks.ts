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
