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
  expect(timeOf(() => work(long))).toBeLessThan(3 * factor * timeOf(() => work(short)) + noiseMs);
}

/** Processor time in milliseconds, the minimum of two runs: the first may include compilation. */
function timeOf(work: () => unknown): number {
  const times = [1, 2].map(() => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}
