import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";

/** The delay after a change, in milliseconds: editors write a file in several steps. */
const settleMs = 100;

/** Calls back when one of these files below a directory changes. Where the system cannot watch, nothing is reported. */
export function watchFiles(directory: string, files: readonly string[], changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const watchers: FSWatcher[] = [];
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(changed, settleMs);
    timer.unref();
  };
  for (const file of files) {
    const at = file.lastIndexOf("/") + 1;
    const name = file.slice(at);
    try {
      const watcher = watch(join(directory, file.slice(0, at)), { persistent: false }, (_, seen) => {
        if (seen === null || seen === name) soon();
      });
      // The directory was removed.
      watcher.on("error", () => watcher.close());
      watchers.push(watcher);
    } catch {
      // There is no such directory, or the system has too many watches.
    }
  }
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}
