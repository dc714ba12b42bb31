import { isatty } from "node:tty";
import { printOut } from "../host/stdout.ts";
import { sanitise } from "./sanitise.ts";

/** Prints untrusted text: unchanged to a pipe or a file, sanitised on a terminal. */
export function printFaithfully(text: string): void {
  printOut(isatty(1) ? sanitise(text) : text);
}
