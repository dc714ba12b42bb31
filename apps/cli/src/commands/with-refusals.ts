import { Refusal } from "@ikigai/tool-packages";
import { exitCodes } from "../host/exit-codes.ts";
import { printError } from "../host/stdout.ts";
import { sanitiseLine } from "../render/sanitise.ts";

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

/** The message of an expected error; undefined for a bug. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof Refusal) return error.message;
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  return code !== undefined && syscall !== undefined ? `Nothing was changed: ${message}` : undefined;
}
