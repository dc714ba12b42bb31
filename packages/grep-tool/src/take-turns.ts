import { MatchList } from "./match-list.ts";
import type { FoundInPortion } from "./merge-found.ts";
import { isWhole, type Portion, toPart } from "./portion.ts";
import type { FileSearch } from "./search-file.ts";

/** What is searched for, and how much of it is kept. */
export interface SearchOptions {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly maxBytes: number;
  /** When to stop, by the clock `monotonicMs`. */
  readonly stopAtMs: number;
}

/** What the threads of a search have in common. */
export class Turns {
  /** How many portions have been taken, how many there are, and whether that is all. */
  readonly shared: Int32Array<SharedArrayBuffer>;

  constructor(shared = new Int32Array(new SharedArrayBuffer(12))) {
    this.shared = shared;
  }

  /** Tells that there are so many portions by now. */
  list(count: number, isAll: boolean): void {
    Atomics.store(this.shared, 2, Number(isAll));
    Atomics.store(this.shared, 1, count);
    Atomics.notify(this.shared, 1);
  }

  /** Takes the next portion, once it is listed; undefined when there is none left. */
  take(): number | undefined {
    const index = Atomics.add(this.shared, 0, 1);
    for (;;) {
      const isAll = Atomics.load(this.shared, 2) === 1;
      const listed = Atomics.load(this.shared, 1);
      if (index < listed) return index;
      if (isAll) return undefined;
      Atomics.wait(this.shared, 1, listed);
    }
  }
}

/** Searches the portions whose turn it is until none is left; whoever else does the same takes the others. */
export function takeTurns(
  turns: Turns,
  portionAt: (index: number) => Portion,
  search: FileSearch,
  maxBytes: number,
): FoundInPortion[] {
  const found: FoundInPortion[] = [];
  let keptBytes = maxBytes;
  for (let index = turns.take(); index !== undefined && !search.isTimeUp; index = turns.take()) {
    const list = new MatchList(keptBytes);
    const portion = portionAt(index);
    const newlines = search.search(portion, list);
    const { matches, count } = list;
    const isCut = search.isTimeUp;
    // The numbers of the lines behind depend on it.
    if (count > 0 || isCut || !isWhole(portion))
      found.push({ index, isBeginning: toPart(portion).from === 0, isCut, matches, count, newlines });
    // Turns only go forward, so what comes after a full answer will never be shown.
    keptBytes = list.room;
  }
  return found;
}
