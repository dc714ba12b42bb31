import { compile } from "@ikigai/posix-ere";
import type { FilePath } from "./list-files.ts";
import type { FoundInPortion } from "./merge-found.ts";
import { isWhole, type Portion } from "./portion.ts";
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

/** What the thread has to remember is short-lived and small. Left alone it takes 15 MB more. */
const resourceLimits = { maxYoungGenerationSizeMb: 1 };

/** Starts a second thread, from the same file. */
export function startThread(options: SearchOptions): SearchThread {
  // Loaded here because most searches are too small for a thread.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const turns = new Turns();
  const task: SearchTask = { options, shared: turns.shared };
  const worker = new Worker(process.argv[1] ?? "", { argv: [workerFlag], workerData: task, resourceLimits });
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
  let batch: Portion[] = [];
  let batchAt = 0;
  const portionAt = (index: number) => {
    // Turns only go forward, so what comes before a batch is not asked for again.
    while (index >= batchAt + batch.length) {
      batchAt += batch.length;
      batch = fromBatch((receiveMessageOnPort(port)?.message as Batch | undefined) ?? []);
    }
    return batch[index - batchAt] as Portion;
  };
  const search = new FileSearch(compile(options.pattern, options), options.stopAtMs);
  port.postMessage(takeTurns(new Turns(shared), portionAt, search, options.maxBytes));
  port.close();
}

function toBatch(portions: readonly Portion[]): Batch {
  return portions.every((portion) => typeof portion === "string") ? portions.join("\0") : portions;
}

function fromBatch(batch: Batch): Portion[] {
  return typeof batch === "string" ? batch.split("\0") : batch.map(received);
}

/** A Buffer arrives as plain bytes. */
function received(portion: Portion): Portion {
  if (typeof portion === "string") return portion;
  if (isWhole(portion)) return Buffer.from(portion);
  return { ...portion, file: received(portion.file) as FilePath };
}
