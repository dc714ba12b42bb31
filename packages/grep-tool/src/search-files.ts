// Searches all files: chooses one thread or two, shares the files between them, merges what they found; the second thread is at the end.
import { availableParallelism } from "node:os";
import { compile, type Regex } from "@ikigai/posix/ere";
import { type FileMatches, firstSize, MatchList, type SearchOptions, sharedRoom } from "./match-list.ts";
import type { FilePath } from "./read-request.ts";
import { cut, FileSearch, isWhole, type Portion, toPart } from "./search-file.ts";

/** The result of a search. */
export interface Found {
  /** The files with matches. */
  readonly files: readonly FileMatches[];
  readonly count: number;
  /** Number of files to search. */
  readonly fileCount: number;
  /** How many bytes the files share; `Infinity` if each is shown as far as it was kept. */
  readonly sharedBytes: number;
  /** Whether the time limit was reached before all were searched. */
  readonly isCut: boolean;
}

/** From these sizes on, a second thread pays for its start, which takes as long as searching about 20 MB. */
const manyFiles = 2_000;
const manyBytes = 64 * 1_048_576;

/**
 * From this size on, in bytes, WebAssembly pays for its start, up to 13 ms of processor time: V8 compiles the code around it a second time.
 * At 16 MiB it makes no difference.
 */
const simdBytes = 24 * 1_048_576;

/**
 * Searches all files, with a second thread if there is enough to do and a processor for it: it takes many files while they are
 * still being listed, or shares few large files in parts.
 */
export async function searchFiles(paths: Iterable<FilePath>, regex: Regex, options: SearchOptions): Promise<Found> {
  const files: FilePath[] = [];
  let search = new FileSearch(regex, options);
  const list = new MatchList(options);
  const isAlone = availableParallelism() === 1;
  let searched = 0;
  const later: FilePath[] = [];
  const searchListed = () => {
    while (searched < files.length && !search.isTimeUp) {
      const file = files[searched++] as FilePath;
      if (search.search(file, list) === undefined) later.push(file);
    }
  };
  let thread: SearchThread | undefined;
  for (const path of paths) {
    files.push(path);
    if (files.length % manyFiles !== 0) continue;
    if (isAlone) {
      // Listing alone could use up the time limit.
      searchListed();
      continue;
    }
    thread ??= startThread(options);
    thread.give(files);
  }
  const found = thread ? mergeFound(await thread.share(files, search), options.isShared) : await searchFew();
  const sharedBytes = options.isShared ? options.maxBytes : Number.POSITIVE_INFINITY;
  return { files: found.files, count: found.count, fileCount: files.length, sharedBytes, isCut: search.isTimeUp };

  async function searchFew() {
    const { portions, bytes } = isAlone ? { portions: files, bytes: 0 } : cut(files, Number.isFinite(options.maxBytes));
    const sized = { ...options, isLarge: bytes >= simdBytes };
    if (sized.isLarge) search = new FileSearch(regex, sized);
    if (bytes >= manyBytes) return mergeFound(await startThread(sized).share(portions, search), options.isShared);
    searchListed();
    for (const file of later) if (!search.isTimeUp) search.search(file, list, true);
    return list;
  }
}

/** State shared by the threads of a search. */
class Turns {
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
function takeTurns(
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

/** The matches in one portion of a file; not all may be kept. */
interface FoundInPortion extends FileMatches {
  /** The portion's index in the list. */
  readonly index: number;
  /** Whether the portion starts the file. */
  readonly isBeginning: boolean;
  /** Whether the time limit was reached before its end, so that its number of lines is unknown. Line numbers are relative to the portion. */
  readonly isCut: boolean;
  /** Number of newlines in the portion. */
  readonly newlines: number;
}

/**
 * Merges the results of several threads in the order of the files. Each thread kept its first matches, as many as fit into an
 * answer; the merged list ends where one of them stopped keeping. If files share the answer, only the file's list ends there.
 */
export function mergeFound(
  parts: readonly (readonly FoundInPortion[])[],
  isShared: boolean,
): { files: FileMatches[]; count: number } {
  const files: FileMatches[] = [];
  let count = 0;
  let isWhole = true;
  let linesBefore: number | undefined = 0;
  for (const portion of parts.flat().sort((a, b) => a.index - b.index)) {
    count += portion.count;
    if (portion.isBeginning) {
      files.push({ file: portion.file, count: 0, matches: [] });
      linesBefore = 0;
      isWhole ||= isShared;
    }
    const merged = files.at(-1);
    if (merged === undefined) continue;
    merged.count += portion.count;
    // After a cut part, line numbers are unknown.
    if (!isWhole || linesBefore === undefined) continue;
    const before: number = linesBefore;
    for (const match of portion.matches) {
      merged.matches.push(before === 0 ? match : { ...match, line: match.line + before });
    }
    linesBefore = portion.isCut ? undefined : before + portion.newlines;
    isWhole = portion.matches.length === portion.count;
  }
  return { files: files.filter((file) => file.count > 0), count };
}

/** A second thread that takes part in a search. */
interface SearchThread {
  /** Passes on the portions added since the last call. */
  give(portions: readonly Portion[]): void;
  /** Searches all portions together with the thread; returns the results of both. */
  share(portions: readonly Portion[], search: FileSearch): Promise<FoundInPortion[][]>;
}

/** The thread's initial data. */
interface SearchTask {
  readonly options: SearchOptions;
  readonly shared: Int32Array<SharedArrayBuffer>;
}

/** A range of portions; whole files as a single string if possible, which is ten times as fast to pass. */
type Batch = string | readonly Portion[];

/** The argument that starts this executable as the second thread. */
export const workerFlag = "--search-thread";

/** The thread's objects are small and short-lived. The default limit would take 15 MB more. */
const resourceLimits = { maxYoungGenerationSizeMb: 1 };

/** Starts a second thread from the same file. */
function startThread(options: SearchOptions): SearchThread {
  // Loaded here because most searches are too small for a thread.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const turns = new Turns();
  const task: SearchTask = { options, shared: turns.shared };
  const worker = new Worker(process.argv[1] ?? "", { argv: [workerFlag], workerData: task, resourceLimits });
  const ended = new Promise<FoundInPortion[]>((settle, fail) => worker.once("message", settle).once("error", fail));
  // Handled by `share`, after this thread's own part.
  ended.catch(() => {});
  let given = 0;
  const give = (portions: readonly Portion[], isAll = false) => {
    if (portions.length > given) worker.postMessage(toBatch(portions.slice(given)));
    given = portions.length;
    turns.list(given, isAll);
  };
  return {
    give: (portions) => give(portions),
    async share(portions, search) {
      give(portions, true);
      const own = takeTurns(turns, (index) => portions[index] as Portion, search, options);
      return [own, await ended];
    },
  };
}

/** Runs the second thread: searches its part and sends the results. */
export function serveSearch(): void {
  const { parentPort, receiveMessageOnPort, workerData } = process.getBuiltinModule("node:worker_threads");
  if (parentPort === null) throw new Error(`${workerFlag} is for the tool itself`);
  const port = parentPort;
  const { options, shared } = workerData as SearchTask;
  let batch: Portion[] = [];
  let batchAt = 0;
  const portionAt = (index: number) => {
    // Indexes only increase, so earlier batches are no longer needed.
    while (index >= batchAt + batch.length) {
      batchAt += batch.length;
      batch = fromBatch((receiveMessageOnPort(port)?.message as Batch | undefined) ?? []);
    }
    return batch[index - batchAt] as Portion;
  };
  const search = new FileSearch(compile(options.pattern, options), options);
  port.postMessage(takeTurns(new Turns(shared), portionAt, search, options));
  port.close();
}

function toBatch(portions: readonly Portion[]): Batch {
  return portions.every((portion) => typeof portion === "string") ? portions.join("\0") : portions;
}

function fromBatch(batch: Batch): Portion[] {
  return typeof batch === "string" ? batch.split("\0") : batch.map(received);
}

/** Restores a Buffer, which arrives as a plain Uint8Array. */
function received(portion: Portion): Portion {
  if (typeof portion === "string") return portion;
  if (isWhole(portion)) return Buffer.from(portion);
  return { ...portion, file: received(portion.file) as FilePath };
}
