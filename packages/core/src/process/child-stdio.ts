import { openSync } from "node:fs";
import { inheritedDescriptors } from "./inherited-descriptors.ts";

/** What a child gets at one number: as Node's `stdio` takes it. */
export type ChildDescriptor = "pipe" | "ignore" | "inherit" | number;

/** The highest number that is shadowed: Node goes through all below, and the next ones cost milliseconds at each start. */
const maxShadowed = 4_095;

let nothing: number | undefined;

/**
 * The `stdio` of a process that gets these descriptors and no others. Every process of ikigai is started with it.
 *
 * What this process has inherited itself would go along to the child. Node can neither close nor mark it in the child alone,
 * so /dev/null takes its place there.
 *
 * @throws Error, a sentence for people, when the child would get more than that.
 */
export function childStdio<T extends ChildDescriptor[]>(...own: T): T {
  const stdio: ChildDescriptor[] = own;
  for (const descriptor of inheritedDescriptors()) {
    if (descriptor < own.length) continue;
    if (descriptor > maxShadowed) throw new Error(tooHigh(descriptor));
    nothing ??= openSync("/dev/null", "r+");
    // Node takes a hole in the list for a pipe.
    while (stdio.length < descriptor) stdio.push("ignore");
    stdio[descriptor] = nothing;
  }
  return stdio as T;
}

function tooHigh(descriptor: number): string {
  return `this process was started with descriptor ${descriptor} open, which its children would get; start it without (${descriptor}<&-), or with a number up to ${maxShadowed}`;
}
