import { openSync } from "node:fs";
import { inheritedDescriptors } from "../platform/descriptors.ts";

/** One entry of Node's `stdio` option. */
export type ChildDescriptor = "pipe" | "ignore" | "inherit" | "ipc" | number;

/** Highest descriptor that is replaced: Node processes all below it, and more would cost milliseconds per start. */
const maxShadowed = 4_095;

let nothing: number | undefined;

/**
 * Builds the `stdio` for a child that gets these descriptors and no others; `"ignore"` is /dev/null. All of ikigai's processes are started with it.
 *
 * The child would also get the descriptors this process has inherited. Node can neither close them in the child nor mark them
 * there, so they are replaced by /dev/null.
 *
 * @throws Error, a sentence for people, if a descriptor is too high to be replaced.
 */
export function childStdio<T extends ChildDescriptor[]>(...own: T): T {
  // Node leaves an ignored descriptor above 2 closed: the first file that the child opens would get its number.
  const stdio = own.map((entry, number) => (entry === "ignore" && number > 2 ? nullDevice() : entry));
  for (const descriptor of inheritedDescriptors()) {
    if (descriptor < own.length) continue;
    if (descriptor > maxShadowed) throw new Error(tooHigh(descriptor));
    // Node treats a hole in the list as a pipe.
    while (stdio.length < descriptor) stdio.push("ignore");
    stdio[descriptor] = nullDevice();
  }
  return stdio as T;
}

function nullDevice(): number {
  nothing ??= openSync("/dev/null", "r+");
  return nothing;
}

function tooHigh(descriptor: number): string {
  return `this process was started with descriptor ${descriptor} open, which its children would inherit; close it at the start (${descriptor}<&-), or use a number up to ${maxShadowed}`;
}
