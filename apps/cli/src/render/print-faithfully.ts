import { isatty } from "node:tty";
import { printOut } from "../host/stdout.ts";
import { sanitise } from "./sanitise.ts";

/** Prints somebody else's text for whatever program reads it, so without a change; on a terminal made safe to look at. */
export function printFaithfully(text: string): void {
  printOut(isatty(1) ? sanitise(text) : text);
}
