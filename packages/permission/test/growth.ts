import { expect } from "vitest";

/** How much longer the long input is than the short one. */
const factor = 8;

/** Processor time that a run may take at any length, in milliseconds: a pause for garbage collection, for instance. */
const noiseMs = 50;

/**
 * Expects that the time for a repeated text grows with its length, not with the square of it: a limit in milliseconds would measure
 * the machine too.
 *
 * @param text - repeated up to `length` characters
 */
export function expectLinear(work: (input: string) => unknown, text: string, length: number): void {
  const short = text.repeat(Math.ceil(length / factor / text.length));
  const long = text.repeat(Math.ceil(length / text.length));
  const [shortMs, longMs] = [least(), least()];
  let [most, took] = [0, Number.POSITIVE_INFINITY];
  for (let attempt = 1; attempt <= maxAttempts && (attempt <= 2 || took >= most); attempt++) {
    most = 3 * factor * shortMs(() => work(short)) + noiseMs;
    took = longMs(() => work(long));
  }
  expect(took).toBeLessThan(most);
}

/** The first run may include compilation, and on a busy machine another process may empty the caches during any run. */
const maxAttempts = 8;

/** Returns a function that does work, and returns the processor time in milliseconds, the minimum of all its calls. */
function least(): (work: () => unknown) => number {
  let ms = Number.POSITIVE_INFINITY;
  return (work) => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    ms = Math.min(ms, (user + system) / 1_000);
    return ms;
  };
}
