import { within } from "@ikigai/system";

/** How many tasks are run at once, and when those that run are taken for stuck. */
export interface StaggerOptions {
  readonly atOnce: number;
  /** How long none may end before the next are started beside those that run, in milliseconds. */
  readonly stallMs: number;
}

/**
 * Runs a task for every item, a few at once.
 *
 * A task that hangs does not hold up the others: when none has ended for a while, those that run stop counting. Tasks that
 * are merely slow, because together they keep the machine busy, end one after the other and so hold the number down.
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
