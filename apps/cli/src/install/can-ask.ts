import { isatty } from "node:tty";
import { UsageError } from "../args/usage-error.ts";

/** Whether somebody sits there who can say yes. */
export function canAsk(): boolean {
  return isatty(0) && isatty(2);
}

/** What a command ends with that needed a yes. */
export function nobodyToAsk(): UsageError {
  return new UsageError("Not a terminal, and nothing was changed: pass --yes to confirm.");
}
