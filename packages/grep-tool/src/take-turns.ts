import { firstSize, MatchList, type SearchOptions, sharedRoom } from "./match-list.ts";
import type { FoundInPortion } from "./merge-found.ts";
import { isWhole, type Portion, toPart } from "./portion.ts";
import type { FileSearch } from "./search-file.ts";

/** State shared by the threads of a search. */
export class Turns {
  /** Portions taken, portions listed, and whether all are listed. */
  readonly shared: Int32Array<SharedArrayBuffer>;

  constructor(shared = new Int32Array(new SharedArrayBuffer(12))) {
    this.shared = shared;
  }

  /** Announces the number of portions listed so far. */
  list(count: number, isAll: boolean): void {
    Atomics.store(this.shared, 2, Number(isAll));
    Atomics.store(this.shared, 1, count);
    Atomics.notify(this.shared, 1);
  }

  /** Takes the next portion, waiting until it is listed; `undefined` if none is left. */
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

/** Added to the index of a portion that is searched last: its matches then follow all others. */
const afterAll = 2 ** 40;

/** Searches portions until none is left. Several threads may do so; each portion is taken by one. */
export function takeTurns(
  turns: Turns,
  portionAt: (index: number) => Portion,
  search: FileSearch,
  { maxBytes, isShared }: SearchOptions,
): FoundInPortion[] {
  const found: FoundInPortion[] = [];
  const later: { index: number; portion: Portion }[] = [];
  let keptBytes = 0;
  let firstBytes = 0;
  let room = maxBytes;
  const take = (index: number, portion: Portion, isLast: boolean) => {
    const list = new MatchList({ maxBytes: room, isShared });
    const newlines = search.search(portion, list, isLast);
    if (newlines === undefined) {
      later.push({ index: index + afterAll, portion });
      return;
    }
    const { count } = list;
    const { file, from } = toPart(portion);
    const [inFile] = list.files;
    const matches = inFile ? inFile.matches : [];
    const isCut = search.isTimeUp;
    // Later line numbers depend on this portion.
    if (count > 0 || isCut || !isWhole(portion))
      found.push({ index, file: file.toString(), isBeginning: from === 0, isCut, matches, count, newlines });
    // Portions are taken in order: once the answer is full, later matches are only counted; those that share it keep less.
    keptBytes += list.keptBytes;
    if (inFile && from === 0) firstBytes += firstSize(inFile);
    room = isShared ? sharedRoom(maxBytes, { keptBytes, firstBytes, files: found.length }) : list.room;
  };
  for (let index = turns.take(); index !== undefined && !search.isTimeUp; index = turns.take()) {
    take(index, portionAt(index), false);
  }
  for (const { index, portion } of later) if (!search.isTimeUp) take(index, portion, true);
  return found;
}
