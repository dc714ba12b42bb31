import type { Places } from "@ikigai/agent/internal";

/** The environment of a subcommand. */
export interface CommandContext {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
}

/** A subcommand of `ikigai`, or of `ikigai tool`. */
export interface Command {
  /**
   * Runs the command; returns the exit code.
   *
   * @throws UsageError for invalid arguments.
   */
  run(args: readonly string[], context: CommandContext): Promise<number>;
}
