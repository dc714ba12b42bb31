// Promises with a limit: in number, in time, or by a signal.

/** The longest delay of Node's timers, in milliseconds; a longer one would fire at once. */
export const longestTimerMs = 2_147_483_647;

/** Returns a function that runs at most `max` of the given functions in parallel; the others wait in order. */
export function limitParallel(max: number): <Value>(run: () => Promise<Value>) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (run) => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      return await run();
    } finally {
      // The slot is passed on directly, so that no other caller gets it in between.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** Returns a promise's value, or `undefined` if the signal aborts first. */
export async function unlessAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value | undefined> {
  const clear = new AbortController();
  const aborted = new Promise<undefined>((settle) => {
    signal?.addEventListener("abort", () => settle(undefined), { signal: clear.signal });
    if (signal?.aborted) settle(undefined);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    clear.abort();
  }
}

/**
 * Returns a promise's value, or `undefined` if it takes longer than `ms` milliseconds.
 *
 * After a suspended laptop or a blocked event loop the timer fires before the promise settles: waiting one turn lets a value
 * that was in time count as such.
 */
export async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((settle) => {
    timer = setTimeout(() => setImmediate(settle, undefined), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How many tasks run in parallel, and when running tasks count as stuck. */
interface StaggerOptions {
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
