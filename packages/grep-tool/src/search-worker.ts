import { compile } from "@ikigai/posix/ere";
import type { FilePath } from "./list-files.ts";
import type { SearchOptions } from "./match-list.ts";
import type { FoundInPortion } from "./merge-found.ts";
import { isWhole, type Portion } from "./portion.ts";
import { FileSearch } from "./search-file.ts";
import { Turns, takeTurns } from "./take-turns.ts";

/** A second thread that takes part in a search. */
export interface SearchThread {
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
export function startThread(options: SearchOptions): SearchThread {
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
