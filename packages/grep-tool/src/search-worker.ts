import type { FilePath } from "./list-files.ts";
import type { FoundInFile } from "./merge-found.ts";
import { type SearchOptions, takeTurns } from "./take-turns.ts";

/** What a thread is given. */
export interface SearchTask {
  readonly files: readonly FilePath[];
  readonly options: SearchOptions;
  /** How many files have been taken. */
  readonly turns: SharedArrayBuffer;
}

/** The argument by which this executable knows that it is the second thread of another. */
export const workerFlag = "--search-thread";

/** Starts a second thread on the same task, from the same file. */
export function startWorker(task: SearchTask): Promise<FoundInFile[]> {
  // Loaded here because most searches are too small for a thread.
  const { Worker } = process.getBuiltinModule("node:worker_threads");
  const worker = new Worker(process.argv[1] ?? "", { argv: [workerFlag], workerData: task });
  return new Promise((settle, fail) => worker.once("message", settle).once("error", fail));
}

/** Does the second thread's part, and sends what it found. */
export function serveSearch(): void {
  const { parentPort, workerData } = process.getBuiltinModule("node:worker_threads");
  if (parentPort === null) throw new Error(`${workerFlag} is for the tool itself`);
  const { files, options, turns } = workerData as SearchTask;
  parentPort.postMessage(takeTurns(files.map(toPath), options, turns));
}

/** A Buffer arrives as plain bytes. */
function toPath(file: FilePath | Uint8Array): FilePath {
  return typeof file === "string" ? file : Buffer.from(file);
}
