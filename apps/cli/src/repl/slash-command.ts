import type { Session } from "./session.ts";

/** A command that starts with a slash. */
export interface SlashCommand {
  readonly name: string;
  /** What stands behind the name in the help. */
  readonly parameters?: string;
  readonly summary: string;
  run(args: readonly string[], session: Session): Promise<void>;
}
