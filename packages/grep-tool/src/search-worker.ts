import { compile } from "@ikigai/posix-ere";
import type { FilePath } from "./list-files.ts";
import type { FoundInFile } from "./merge-found.ts";
import { FileSearch } from "./search-file.ts";
import { type SearchOptions, Turns, takeTurns } from "./take-turns.ts";

/** A second thread that searches. */
export interface SearchThread {
  /** Tells it of the files that have been listed since it was last told. */
  give(files: readonly FilePath[]): void;
  /** Searches all files together with it, and gives what each of the two found. */
  share(files: readonly FilePath[], search: FileSearch): Promise<FoundInFile[][]>;
}

/** What the thread starts with. */
interface SearchTask {
  readonly options: SearchOptions;
  readonly shared: Int32Array<SharedArrayBuffer>;
}

/** Some paths in a row, as one text where they can be: that is ten times as quick to hand over. */
type Batch = string | readonly (FilePath | Uint8Array)[];

/** The argument by which this executable knows that it is the second thread of another. */
export const workerFlag = "--search-thread";

/** Starts a second thread, from the same file. */
export function startThread(options: SearchOptions): SearchThread {
  // Loaded here because most searches are too small for a thread.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const turns = new Turns();
  const task: SearchTask = { options, shared: turns.shared };
  const worker = new Worker(process.argv[1] ?? "", { argv: [workerFlag], workerData: task });
  const ended = new Promise<FoundInFile[]>((settle, fail) => worker.once("message", settle).once("error", fail));
  // A failure is heard of when the other half is done.
  ended.catch(() => {});
  let given = 0;
  const give = (files: readonly FilePath[], isAll = false) => {
    if (files.length > given) worker.postMessage(toBatch(files.slice(given)));
    given = files.length;
    turns.list(given, isAll);
  };
  return {
    give: (files) => give(files),
    async share(files, search) {
      give(files, true);
      const own = takeTurns(turns, (index) => files[index] as FilePath, search, options.maxBytes);
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
  const files: FilePath[] = [];
  const fileAt = (index: number) => {
    while (index >= files.length) {
      const batch = receiveMessageOnPort(port)?.message as Batch | undefined;
      for (const file of fromBatch(batch ?? [])) files.push(file);
    }
    return files[index] as FilePath;
  };
  const search = new FileSearch(compile(options.pattern, options));
  port.postMessage(takeTurns(new Turns(shared), fileAt, search, options.maxBytes));
  port.close();
}

function toBatch(files: readonly FilePath[]): Batch {
  return files.every((file) => typeof file === "string") ? files.join("\0") : files;
}

function fromBatch(batch: Batch): FilePath[] {
  if (typeof batch === "string") return batch.split("\0");
  // A Buffer arrives as plain bytes.
  return batch.map((file) => (typeof file === "string" ? file : Buffer.from(file)));
}
