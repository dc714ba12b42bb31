import { writeSync } from "node:fs";
// Only these modules: starting the command needs nothing else of the two packages.
import { graceMs } from "@ikigai/protocol/limits";
import { endings } from "@ikigai/system/before-exit";

/**
 * Time limit of the endings, in milliseconds: a tool has two seconds after SIGTERM, a service two more before it, and the end must
 * be logged. After that the process exits anyway, and core's watchdog kills what still runs.
 */
const patienceMs = 2 * graceMs + 500;

let exitCode: number | undefined;

export function isShuttingDown(): boolean {
  return exitCode !== undefined;
}

/**
 * The only way to exit: runs the endings and ends the process. The first code counts. Never settles.
 *
 * @param isUrgent if the process is already ending, exits without waiting, since the user asked twice. The last endings still
 * run; they take no time.
 */
export function shutdown(code: number, { isUrgent = false } = {}): Promise<never> {
  const never = new Promise<never>(() => {});
  if (exitCode !== undefined) {
    if (isUrgent) exit(exitCode);
    return never;
  }
  exitCode = code;
  setTimeout(() => exit(code), patienceMs);
  Promise.allSettled([...endings.first].map(async (ending) => ending())).then(() => exit(code));
  return never;
}

function exit(code: number): never {
  for (const ending of endings.last) {
    // An ending that throws, or that triggers another exit, must not prevent the others.
    endings.last.delete(ending);
    try {
      ending();
    } catch (error) {
      writeError(error);
    }
  }
  process.exit(code);
}

/** Bypasses `printError`, which may be the reason for the exit. */
function writeError(error: unknown): void {
  try {
    writeSync(2, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  } catch {
    // stderr is closed; the exit code still reports the failure.
  }
}
