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
