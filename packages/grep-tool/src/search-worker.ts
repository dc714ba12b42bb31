import { compile } from "@ikigai/posix-ere";
import type { FoundInPortion } from "./merge-found.ts";
import { isWhole, type Portion, wholeFile } from "./portion.ts";
import { FileSearch } from "./search-file.ts";
import { type SearchOptions, Turns, takeTurns } from "./take-turns.ts";

/** A second thread that searches. */
export interface SearchThread {
  /** Tells it of the portions that have come since it was last told. */
  give(portions: readonly Portion[]): void;
  /** Searches all portions together with it, and gives what each of the two found. */
  share(portions: readonly Portion[], search: FileSearch): Promise<FoundInPortion[][]>;
}

/** What the thread starts with. */
interface SearchTask {
  readonly options: SearchOptions;
  readonly shared: Int32Array<SharedArrayBuffer>;
}

/** Some portions in a row; whole files as one text where they can be: that is ten times as quick to hand over. */
type Batch = string | readonly Portion[];

/** The argument by which this executable knows that it is the second thread of another. */
export const workerFlag = "--search-thread";

/** Starts a second thread, from the same file. */
export function startThread(options: SearchOptions): SearchThread {
  // Loaded here because most searches are too small for a thread.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const turns = new Turns();
  const task: SearchTask = { options, shared: turns.shared };
  const worker = new Worker(process.argv[1] ?? "", { argv: [workerFlag], workerData: task });
  const ended = new Promise<FoundInPortion[]>((settle, fail) => worker.once("message", settle).once("error", fail));
  // A failure is heard of when the other half is done.
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
      const own = takeTurns(turns, (index) => portions[index] as Portion, search, options.maxBytes);
      return [own, await ended];
    },
  };
}

/** Does the second thread's part, and sends what it found. */
export function serveSearch(): void {
  const { parentPort, receiveMessageOnPort, workerData } = process.getBuiltinModule("node:worker_threads");
  if (parentPort === null) throw new Error(`${workerFlag} is for the tool itself`);
  const port = parentPort;
  const { options, shared } = workerData as SearchTask;
  const portions: Portion[] = [];
  const portionAt = (index: number) => {
    while (index >= portions.length) {
      const batch = receiveMessageOnPort(port)?.message as Batch | undefined;
      for (const portion of fromBatch(batch ?? [])) portions.push(portion);
    }
    return portions[index] as Portion;
  };
  const search = new FileSearch(compile(options.pattern, options));
  port.postMessage(takeTurns(new Turns(shared), portionAt, search, options.maxBytes));
  port.close();
}

function toBatch(portions: readonly Portion[]): Batch {
  const isText = portions.every((portion) => isWhole(portion) && typeof portion.file === "string");
  return isText ? portions.map(({ file }) => file).join("\0") : portions;
}

function fromBatch(batch: Batch): Portion[] {
  if (typeof batch === "string") return batch.split("\0").map(wholeFile);
  // A Buffer arrives as plain bytes.
  return batch.map(({ file, ...part }) => ({ ...part, file: typeof file === "string" ? file : Buffer.from(file) }));
}
