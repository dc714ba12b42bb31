import { beforeExit, visibleLine } from "@ikigai/system";
import { printError } from "./stdout.ts";

/** Prints a notice when everything else has ended: until then the full screen may have the terminal. */
export function sayAtExit(notice: string): void {
  beforeExit(() => printError(`${visibleLine(notice)}\n`), { isLast: true });
}
