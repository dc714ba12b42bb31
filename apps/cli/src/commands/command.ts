// What each command is, and how the expected errors of one are printed.

import type { Places } from "@ikigai/agent/internal";
import { sanitiseLine } from "@ikigai/screen";
import { systemReason, unwritableDirectory } from "@ikigai/system";
import { Refusal } from "@ikigai/tool-packages";
import { exitCodes } from "../host/terminal/exit.ts";
import { printError } from "../host/terminal/stdout.ts";

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

/** Runs a command's work; prints a refusal or a system error and returns the exit code of a failure. */
export async function withRefusals(work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    printError(`ikigai: ${sanitiseLine(reason)}\n`);
    return exitCodes.failed;
  }
}

/** The message of an expected error; `undefined` if the error is a bug. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof Refusal) return error.message;
  const failure = error as NodeJS.ErrnoException & { readonly dest?: string };
  // Of a link that cannot be created, `path` is what the link would contain.
  const { code, syscall, dest: path = failure.path, message } = failure;
  if (code === undefined || syscall === undefined) return undefined;
  const unwritable = unwritableDirectory(error);
  if (unwritable !== undefined) return `Nothing was changed: ${unwritable}.`;
  // Node's own text is for programs; others have words already.
  if (!message.startsWith(`${code}: `)) return `Nothing was changed: ${message}`;
  return `Nothing was changed: ${path === undefined ? "" : `${path}: `}${systemReason(failure)}.`;
}
