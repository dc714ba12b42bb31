import { setTimeout } from "node:timers/promises";

/** Waits; returns false if the signal ended it. */
export async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(ms, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}
