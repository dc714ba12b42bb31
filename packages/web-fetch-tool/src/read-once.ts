/**
 * Pages of this length, in characters, are read faster without optimized code if the process ends afterwards. Shorter ones are read
 * before V8 optimizes anything; from about 450,000 on, optimizing gains more than it costs.
 */
const shortest = 20_000;
const longest = 400_000;

/** Read at the start: the variable is removed before the first call, since it is not for what a tool starts. */
const servesCalls = process.env.IKIGAI_SERVE === "1";

/**
 * Turns V8's optimizing compiler off if this process reads one page of such a length. Optimizing takes more processor time than the
 * page: of 73 kB 100 ms, and the page 70. A process that serves several calls needs the optimized code.
 */
export function prepareToReadOnce(length: number): void {
  if (length < shortest || length > longest || servesCalls) return;
  process.getBuiltinModule("node:v8").setFlagsFromString("--no-opt");
}
