import type { Places } from "@ikigai/agent/internal";

/** What a subcommand is given. */
export interface CommandContext {
  readonly places: Places;
  readonly env: NodeJS.ProcessEnv;
}

/** A subcommand of `ikigai`, or of `ikigai tool`. */
export interface Command {
  /**
   * Returns the exit code.
   *
   * @throws UsageError when it is called the wrong way.
   */
  run(args: readonly string[], context: CommandContext): Promise<number>;
}
