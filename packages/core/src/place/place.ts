import type { Command, Failure } from "../process/command.ts";

/** Where a tool runs, if it is not started directly: a sandbox, or whatever a launcher leads to. */
export interface Place {
  /** The command that runs this one there, or why there is none. Never throws. */
  wrap(command: Command): Command | Failure;
}
