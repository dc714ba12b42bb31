import { within } from "@ikigai/system";

/** How many tasks run in parallel, and when running tasks count as stuck. */
export interface StaggerOptions {
  readonly atOnce: number;
  /** If no task ends for this long, in milliseconds, the next ones are started anyway. */
  readonly stallMs: number;
}

/**
 * Runs a task for every item, a few in parallel.
 *
 * A hanging task does not block the others: if none ends for `stallMs`, the running tasks stop counting. Tasks that are merely
 * slow because the machine is busy end one after the other, so the limit holds for them.
 */
export async function runStaggered<Item>(
  items: readonly Item[],
  { atOnce, stallMs }: StaggerOptions,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const stuck: Promise<void>[] = [];
  for (const item of items) {
    while (running.size >= atOnce) {
      const size = running.size;
      await within(stallMs, Promise.race(running));
      if (running.size < size) continue;
      stuck.push(...running);
      running.clear();
    }
    const run: Promise<void> = task(item).then(() => void running.delete(run));
    running.add(run);
  }
  await Promise.all([...running, ...stuck]);
}
