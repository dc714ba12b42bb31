/** How long to wait before a non-blocking descriptor is tried again, in milliseconds. */
const pauseMs = 2;

/** Blocks for a moment: the only way to wait for a non-blocking descriptor from synchronous code. */
export function waitForDescriptor(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
}
