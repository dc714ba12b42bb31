import { parseArgv } from "./argv.ts";
import { exitCodes } from "./exit-codes.ts";
import { listenToSignals } from "./interruption.ts";
import { printError, printOut } from "./print-out.ts";
import { sanitise } from "./screen/sanitise.ts";
import { isShuttingDown, shutdown } from "./shutdown.ts";
import { UsageError } from "./usage-error.ts";
import { version } from "./version.ts";

/** Does what the command line says, loads no more than that needs, and ends the process. */
export async function cli(argv: readonly string[]): Promise<void> {
  process.on("uncaughtException", endForBug);
  try {
    const exitCode = await run(argv);
    // Most of what is short has nothing to tidy up, and ends by itself.
    if (exitCode !== undefined || isShuttingDown()) await shutdown(exitCode ?? exitCodes.done);
  } catch (error) {
    if (!(error instanceof UsageError)) return endForBug(error);
    printError(`ikigai: ${sanitise(error.message)}\nTry: ikigai --help\n`);
    await shutdown(exitCodes.usage);
  }
}

async function run(argv: readonly string[]): Promise<number | undefined> {
  const invocation = parseArgv(argv);
  if (invocation.kind !== "help" && invocation.kind !== "version") listenToSignals();
  switch (invocation.kind) {
    case "help": {
      const { help } = await import("./help.ts");
      return void printOut(help);
    }
    case "version":
      return void printOut(`${version}\n`);
    case "print": {
      const { runPrint } = await import("./print/run-print.ts");
      return runPrint(invocation);
    }
    case "repl": {
      const { runRepl } = await import("./repl/run-repl.ts");
      return runRepl(invocation.flags);
    }
    case "command": {
      const { runCommand } = await import("./commands/run-command.ts");
      return runCommand(invocation.name, invocation.args);
    }
    default:
      return invocation satisfies never;
  }
}

function endForBug(error: unknown): void {
  // What waited for something that the end of the process has stopped.
  if (isShuttingDown() && error instanceof Error && error.name === "AbortError") return;
  // The terminal comes first.
  void shutdown(exitCodes.bug);
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printError(`\nThis is a bug in ikigai, please report it.\n${sanitise(what)}\n`);
}
