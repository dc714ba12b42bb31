import { resolve } from "node:path";
import { type NameFilter, readServerEntry, type ServerEntry, serverNameProblem } from "@ikigai/mcp";
import { mcpCommands } from "../../args/mcp-commands.ts";
import { usageOf } from "../../args/option.ts";
import { readOperands, readOptions } from "../../args/read-options.ts";
import { UsageError } from "../../args/usage-error.ts";

const syntax = mcpCommands["mcp add"];

/** What the user wants to add. */
export interface AddRequest {
  readonly name: string;
  /** With the values that the user gave. */
  readonly entry: ServerEntry;
  readonly filter: NameFilter;
  readonly isAllowed: boolean;
}

/** Reads the command line of `mcp add`. @throws UsageError. */
export function readAdd(args: readonly string[]): AddRequest {
  const { flags, values, operands } = readOptions(args, syntax.options);
  const [name = "", command = "", ...rest] = readOperands(operands, syntax);
  const problem = serverNameProblem(name);
  if (problem !== undefined) throw new UsageError(problem);
  // Otherwise options of the command would be read as options of this one.
  if (!args.includes("--"))
    throw new UsageError(`Put -- before the command that starts the server. Usage: ${usageOf(syntax)}`);
  const env = Object.fromEntries((values.env ?? []).map(readVariable));
  // A path, unlike a name that is looked up in PATH, is one of the current directory.
  const program = command.includes("/") ? resolve(command) : command;
  const entry = readServerEntry({ command: program, args: rest, env });
  if ("problem" in entry) throw new UsageError(entry.problem);
  const { include = [], exclude = [] } = values;
  return { name, entry, filter: { include, exclude }, isAllowed: flags.has("yes") };
}

/** `K=V`, or `K` for the value of the environment at each start. */
function readVariable(text: string): [string, string] {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)(?:=(.*))?$/s.exec(text) ?? [];
  if (name === undefined) throw new UsageError(`Expected --env K or K=V, got ${JSON.stringify(text.split("=")[0])}.`);
  return [name, value ?? `\${${name}}`];
}
