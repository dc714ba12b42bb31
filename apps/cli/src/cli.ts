import { parseArgv } from "./argv.ts";
import { type CommandName, commandGroup, findCommand } from "./command-line/commands.ts";
import { exhausted } from "./exhausted.ts";
import { exitCodes } from "./exit-codes.ts";
import { listenToSignals } from "./interruption.ts";
import { putNodeOnPath } from "./node-on-path.ts";
import { printError, printOut } from "./print-out.ts";
import { sanitise } from "./screen/sanitise.ts";
import { isShuttingDown, shutdown } from "./shutdown.ts";
import { StartError } from "./start-error.ts";
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
    if (error instanceof StartError) {
      printError(`ikigai: ${sanitise(error.message)}\n`);
      return shutdown(exitCodes.usage);
    }
    if (!(error instanceof UsageError)) return endForBug(error);
    printError(`ikigai: ${sanitise(error.message)}${await suggestion(error)}\nTry: ${helpFor(argv)}\n`);
    await shutdown(exitCodes.usage);
  }
}

async function run(argv: readonly string[]): Promise<number | undefined> {
  const invocation = parseArgv(argv);
  if (invocation.kind !== "help" && invocation.kind !== "version") listenToSignals();
  if (startsPrograms.includes(invocation.kind)) {
    await closeDescriptors(argv);
    putNodeOnPath(process.env);
  }
  switch (invocation.kind) {
    case "help": {
      if (invocation.about.length > 0) return runCommand("help", invocation.about);
      const { overview } = await import("./help/overview.ts");
      return void printOut(overview());
    }
    case "complete": {
      const { complete } = await import("./completion/complete.ts");
      return void printOut(await complete(invocation.words, process.env));
    }
    case "version":
      return void printOut(`${version}\n`);
    case "print": {
      const { runPrint } = await import("./print/run-print.ts");
      return runPrint(invocation);
    }
    case "repl": {
      const { runRepl } = await import("./repl/run-repl.ts");
      return runRepl(invocation);
    }
    case "command":
      return runCommand(invocation.name, invocation.args);
    default:
      return invocation satisfies never;
  }
}

/** The other kinds only print, and load nothing for it. */
const startsPrograms: readonly string[] = ["print", "repl", "command"];

async function closeDescriptors(argv: readonly string[]): Promise<void> {
  const { closeInheritedDescriptors } = await import("@ikigai/core");
  // What a shell has opened for one of the operands (`<(command)`) is still to be read.
  closeInheritedDescriptors((descriptor) => argv.some((word) => word.endsWith(`/fd/${descriptor}`)));
}

async function runCommand(name: CommandName, args: readonly string[]): Promise<number> {
  const { runCommand: run } = await import("./commands/run-command.ts");
  return run(name, args);
}

async function suggestion({ unknown }: UsageError): Promise<string> {
  if (unknown === undefined) return "";
  const { nearestWord } = await import("@ikigai/core");
  const nearest = nearestWord(unknown.got, unknown.known);
  return nearest === undefined ? "" : ` Did you mean ${nearest}?`;
}

/** What explains the command that was meant, or all of them. */
function helpFor(argv: readonly string[]): string {
  const command = findCommand(argv)?.name ?? (argv[0] === commandGroup ? commandGroup : undefined);
  if (command === "help") return "ikigai help";
  return command === undefined ? "ikigai --help" : `ikigai ${command} --help`;
}

function endForBug(error: unknown): void {
  // What waited for something that the end of the process has stopped.
  if (isShuttingDown() && error instanceof Error && error.name === "AbortError") return;
  // The terminal comes first.
  const problem = exhausted(error);
  void shutdown(problem === undefined ? exitCodes.bug : exitCodes.failed);
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printError(
    problem === undefined
      ? `\nThis is a bug in ikigai, please report it.\n${sanitise(what)}\n`
      : `\nikigai: ${problem}\n`,
  );
}
