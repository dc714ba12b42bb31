import { writeSync } from "node:fs";
// By themselves: the start of the command has no use for the rest of the two packages.
import { graceMs } from "@ikigai/protocol/limits";
import { endings } from "@ikigai/system/before-exit";

/**
 * How long the endings may take, in milliseconds: a tool has two seconds after SIGTERM, and its end has to be written down.
 * After that the process ends all the same; whatever still runs then is killed by the watchdog of core.
 */
const patienceMs = graceMs + 500;

let exitCode: number | undefined;

export function isShuttingDown(): boolean {
  return exitCode !== undefined;
}

/**
 * The one way out: does what has to be done and ends the process. The first code counts. Never settles.
 *
 * @param isUrgent does not wait any longer for what is being done when the process is ending already: somebody asked twice.
 * The last endings are done all the same; they take no time.
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
    // One that fails, or is called again by what it does, must not cost the others.
    endings.last.delete(ending);
    try {
      ending();
    } catch (error) {
      writeError(error);
    }
  }
  process.exit(code);
}

/** Not through what prints otherwise, which may be why we end. */
function writeError(error: unknown): void {
  try {
    writeSync(2, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  } catch {
    // Nobody listens; the exit code still tells.
  }
}
