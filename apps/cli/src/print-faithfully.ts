import { isatty } from "node:tty";
import { printOut } from "./print-out.ts";
import { sanitise } from "./screen/sanitise.ts";

/** Prints somebody else's text for whatever program reads it, so without a change; on a terminal made safe to look at. */
export function printFaithfully(text: string): void {
  printOut(isatty(1) ? sanitise(text) : text);
}
