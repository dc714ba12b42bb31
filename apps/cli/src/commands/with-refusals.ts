import { Refusal } from "@ikigai/tool-packages";
import { exitCodes } from "../host/exit-codes.ts";
import { printError } from "../host/stdout.ts";
import { sanitiseLine } from "../render/sanitise.ts";

/** Does the work of a command; a refusal, and what the system refuses, is printed and gives the exit code of a failure. */
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

/** Undefined for a bug. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof Refusal) return error.message;
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  return code !== undefined && syscall !== undefined ? `Nothing was changed: ${message}` : undefined;
}
