import type { Command, Failure } from "../process/command.ts";

/** Where a tool runs if it is not started directly: in a sandbox, or behind a launcher. */
export interface Place {
  /** Returns the command that runs `command` there, or why that is impossible. Never throws. */
  wrap(command: Command): Command | Failure;
}
