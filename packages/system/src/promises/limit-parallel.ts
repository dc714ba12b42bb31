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
