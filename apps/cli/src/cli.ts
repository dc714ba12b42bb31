// The whole command, which main.ts loads once this Node is known to run it. In reading order: the command line is read and its part of the
// program loaded, what a model's call may not start, and how errors and bugs end the process.

import { IkigaiError } from "@ikigai/core/errors";
import { sanitise } from "@ikigai/screen";
import { closeInheritedDescriptors, systemReason } from "@ikigai/system";
import { type CommandName, commands } from "./args/commands.ts";
import { type Invocation, parseArgv } from "./args/parse-argv.ts";
import { UsageError } from "./args/usage-error.ts";
import { putBridgeInEnvironment, putNodeOnPath, version } from "./host/places/own-paths.ts";
import { exitCodes, failureExit, isShuttingDown, listenToSignals, shutdown } from "./host/terminal/exit.ts";
import { printError, printOut, withoutKeys } from "./host/terminal/stdout.ts";

/** Runs the command line, loading only the modules it needs, and ends the process. */
export async function cli(argv: readonly string[]): Promise<void> {
  process.on("uncaughtException", endForBug);
  try {
    const exitCode = await run(argv);
    // Most short commands have nothing to clean up and end on their own.
    if (exitCode !== undefined || isShuttingDown()) await shutdown(exitCode ?? exitCodes.done);
  } catch (error) {
    if (!(error instanceof IkigaiError)) return endForBug(error);
    const { exitCode, pointsToHelp } = failureExit(error);
    printError(`ikigai: ${await renderFailure(error, argv, pointsToHelp)}\n`);
    await shutdown(exitCode);
  }
}

async function run(argv: readonly string[]): Promise<number | undefined> {
  const invocation = parseArgv(argv);
  refuseInCall(invocation, process.env);
  if ("flags" in invocation) enter(invocation.flags.startDirectory);
  if (!["help", "group", "version"].includes(invocation.kind)) listenToSignals();
  if (startsPrograms.includes(invocation.kind)) {
    closeDescriptors(argv);
    putNodeOnPath(process.env);
    putBridgeInEnvironment(process.env);
  }
  switch (invocation.kind) {
    case "help": {
      if (invocation.about.length > 0) return runCommand("help", invocation.about);
      const { overview } = await import("./help/explain-command.ts");
      return void printOut(overview());
    }
    case "group": {
      const { explainGroup } = await import("./help/explain-command.ts");
      return void printOut(explainGroup(invocation.group));
    }
    case "complete": {
      const { complete } = await import("./commands/completion/completion.ts");
      return void printOut(await complete(invocation.words, process.env));
    }
    case "version":
      return void printOut(`${version}\n`);
    case "print": {
      const { runPrint } = await import("./print/run-print.ts");
      return runPrint(invocation);
    }
    case "repl": {
      const { runRepl } = await import("./commands/run-repl.ts");
      return runRepl(invocation);
    }
    case "command":
      return runCommand(invocation.name, invocation.args);
    default:
      return invocation satisfies never;
  }
}

/** Starts elsewhere: other paths of the command line begin there, as with `git -C`. */
function enter(directory: string | undefined): void {
  if (directory === undefined) return;
  try {
    process.chdir(directory);
    process.env.PWD = process.cwd();
  } catch (error) {
    throw new UsageError(
      `Cannot start in ${JSON.stringify(directory)}: ${systemReason(error as NodeJS.ErrnoException)}.`,
    );
  }
}

/**
 * A model's call does not change what decides what runs. It could hide that it is one, but not from the sandbox.
 *
 * @throws UsageError.
 */
function refuseInCall(invocation: Invocation, env: NodeJS.ProcessEnv): void {
  // An agent's rights are in its grant, and hooks are the user's.
  if (!env.IKIGAI_CALL_ID || env.IKIGAI_AGENT_GRANT || env.CLAUDE_PROJECT_DIR || invocation.kind !== "command") return;
  const { name, args } = invocation;
  if (!commands[name].isForUser || args.includes("--help")) return;
  const why = "is for the user, and a model's call (IKIGAI_CALL_ID) has started it";
  throw new UsageError(`ikigai ${name} ${why}. Nothing was changed.`);
}

/** The other kinds only print, so they skip the preparation for child processes. */
const startsPrograms: readonly string[] = ["print", "repl", "command"];

function closeDescriptors(argv: readonly string[]): void {
  // A shell opens a descriptor for an operand like `<(command)`, which is read later.
  closeInheritedDescriptors((descriptor) => argv.some((word) => word.endsWith(`/fd/${descriptor}`)));
}

async function runCommand(name: CommandName, args: readonly string[]): Promise<number> {
  const { runCommand: run } = await import("./commands/run-command.ts");
  return run(name, args);
}

/** What went wrong, with advice if the command line did. */
async function renderFailure(error: IkigaiError, argv: readonly string[], pointsToHelp = false): Promise<string> {
  if (!pointsToHelp) return sanitise(error.hint === undefined ? error.message : `${error.message} ${error.hint}`);
  const { usageMessage } = await import("./help/explain-command.ts");
  return usageMessage(error, argv);
}

function endForBug(error: unknown): void {
  // The shutdown itself aborted this work.
  if (isShuttingDown() && error instanceof Error && error.name === "AbortError") return;
  // Restore the terminal before printing.
  const problem = notABug(error);
  void shutdown(problem === undefined ? exitCodes.bug : exitCodes.failed);
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printError(
    problem === undefined
      ? `\nThis is a bug in ikigai, please report it.\n${sanitise(withoutKeys(what))}\n`
      : `\nikigai: ${problem}\n`,
  );
}

/** By errno: the resource that ran out, and what the user can do. */
const advice: Readonly<Record<string, string>> = {
  EMFILE: "Too many files are open (EMFILE). Raise the limit (ulimit -n 1024) and start again.",
  ENFILE: "Too many files are open on this machine (ENFILE). Close other programs and start again.",
  ENOMEM: "There is not enough memory (ENOMEM). Close other programs and start again.",
};

/** Its parts are loaded when they are needed; those of another version have other names. */
const replaced =
  "A part of ikigai is missing: it was updated or removed while it ran. Sessions are saved; to continue the last one: ikigai --continue";

/** Advice for an error that is no bug: the system ran out of a resource, or ikigai was replaced. Otherwise undefined. */
function notABug(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "MODULE_NOT_FOUND" && message.startsWith("Cannot find module './")) return replaced;
  return code !== undefined && Object.hasOwn(advice, code) ? advice[code] : undefined;
}
