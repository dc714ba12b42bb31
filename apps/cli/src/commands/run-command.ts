import { exitCodes } from "../exit-codes.ts";
import { findPlaces } from "../places.ts";
import { OutputClosed, printError } from "../print-out.ts";
import { UsageError } from "../usage-error.ts";
import { workingDirectory } from "../working-directory.ts";
import type { Command } from "./command.ts";
import { doctor } from "./doctor.ts";
import { toolCall } from "./tool-call.ts";
import { toolCheck } from "./tool-check.ts";
import { toolList } from "./tool-list.ts";
import { toolShow } from "./tool-show.ts";
import { trustCommand } from "./trust.ts";

const commands: readonly Command[] = [trustCommand, doctor];
const toolCommands: readonly Command[] = [toolList, toolShow, toolCall, toolCheck];

/** Runs a subcommand; returns the exit code. */
export async function runCommand(name: string, args: readonly string[]): Promise<number> {
  const [command, rest] = find(name, args);
  if (rest.includes("--help")) throw new UsageError(`Usage: ikigai ${command.usage}`);
  const projectDir = workingDirectory();
  if (projectDir === undefined) return exitCodes.failed;
  try {
    return await command.run(rest, { places: findPlaces(process.env, projectDir), env: process.env });
  } catch (error) {
    if (!(error instanceof OutputClosed)) throw error;
    if (error.exitCode !== exitCodes.brokenPipe) printError(`${error.message}\n`);
    return error.exitCode;
  }
}

function find(name: string, args: readonly string[]): [Command, readonly string[]] {
  const command = commands.find((candidate) => candidate.name === name);
  if (command) return [command, args];
  const [wanted = "", ...rest] = args;
  const toolCommand = toolCommands.find((candidate) => candidate.name === wanted);
  if (toolCommand) return [toolCommand, rest];
  const known = toolCommands.map((candidate) => candidate.name).join(", ");
  throw new UsageError(`Expected ikigai ${name} to be followed by one of ${known}, got "${wanted}".`);
}
