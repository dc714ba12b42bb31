import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import type { JsonObject } from "@ikigai/protocol";
import { isDirectory, optionProblem, parseObject } from "@ikigai/system";
import { checkTool } from "./check-tool.ts";
import { unknownCheck } from "./conformance.ts";
import { type ReportFormat, renderList, reportFormats } from "./report-format.ts";
import type { SubjectOptions } from "./subject.ts";

/** The command that embeds this one. */
export interface CheckCommand {
  /** The command line up to the arguments, for example `ikigai tool check`. */
  readonly name: string;
  /** Prints a part of the report on stdout. */
  print(text: string): void;
  /** Prints why the command line is invalid on stderr. */
  printError(text: string): void;
  /** Shows what is being checked, in place of what was shown before; an empty text removes it. See `statusLine`. */
  readonly showStatus?: ((text: string) => void) | undefined;
  /** Finds a tool by its name, for a command that knows the names of tools. */
  pathOf?(name: string): Promise<string | undefined>;
  /** Makes calls in a sandbox, for a command that has one. */
  readonly inSandbox?: SubjectOptions["inSandbox"];
  /** Whether to print colours. */
  readonly hasColours?: boolean;
}

/** The exit codes. */
const exitCodes = { kept: 0, broken: 1, usage: 2 } as const;

const options = {
  call: { type: "string", multiple: true },
  examples: { type: "boolean" },
  cwd: { type: "string" },
  only: { type: "string", multiple: true },
  skip: { type: "string", multiple: true },
  strict: { type: "boolean" },
  tap: { type: "boolean" },
  json: { type: "boolean" },
  list: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

/**
 * Runs `check` with these arguments and prints the report. Returns the exit code: 0 if the tool conforms, 1 if it does not,
 * 2 for an invalid command line.
 *
 * @throws only what the functions of `command` throw.
 */
export async function runCheckCommand(args: readonly string[], command: CheckCommand): Promise<number> {
  const request = read(args);
  if (typeof request === "string") {
    command.printError(`${command.name}: ${request} Try: ${command.name} --help\n`);
    return exitCodes.usage;
  }
  if (request.kind !== "check") {
    command.print(request.kind === "help" ? help(command.name) : renderList(request.isJson));
    return exitCodes.kept;
  }
  // A package is often in a folder that is named like its tool.
  const isFile = existsSync(request.path) && !isDirectory(request.path);
  const path = (!isFile && (await command.pathOf?.(request.path))) || request.path;
  const format = reportFormats[request.format];
  const lines = format({ isStrict: request.isStrict, hasColours: command.hasColours === true });
  const report = await checkTool(path, {
    ...request,
    inSandbox: command.inSandbox,
    onStart: (id, number, count) => command.showStatus?.(`Checking ${id} (${number} of ${count})`),
    onResult(result) {
      command.showStatus?.("");
      command.print(lines.result(result));
    },
  });
  command.print(lines.end(report));
  const isKept = request.isStrict ? report.results.every(({ status }) => status !== "failed") : report.ok;
  return isKept ? exitCodes.kept : exitCodes.broken;
}

type Request =
  | { readonly kind: "help" }
  | { readonly kind: "list"; readonly isJson: boolean }
  | {
      readonly kind: "check";
      readonly path: string;
      readonly format: ReportFormat;
      readonly isStrict: boolean;
      readonly calls: readonly JsonObject[] | undefined;
      readonly callExamples: boolean | undefined;
      readonly cwd: string | undefined;
      readonly only: readonly string[] | undefined;
      readonly skip: readonly string[] | undefined;
    };

/** Parses a command line. Returns a sentence if it is invalid. */
function read(args: readonly string[]): Request | string {
  const parsed = parse(args);
  if (typeof parsed === "string") return parsed;
  const { values, positionals } = parsed;
  if (values.help) return { kind: "help" };
  if (values.list) return { kind: "list", isJson: values.json === true };
  const [path, ...others] = positionals;
  if (path === undefined) return "Missing PATH of a tool.";
  if (others.length > 0) return `Expected one path, got ${positionals.length}: ${positionals.join(" ")}.`;
  if (values.tap && values.json) return "Expected --tap or --json, got both.";
  const unknown = unknownCheck([...(values.only ?? []), ...(values.skip ?? [])].flatMap(ids));
  if (unknown !== undefined) return `Unknown check ${JSON.stringify(unknown)}; --list prints the ids.`;
  const { cwd } = values;
  if (cwd !== undefined && !isDirectory(cwd)) return `Expected --cwd to be a directory, got ${JSON.stringify(cwd)}.`;
  const calls = values.call?.map((text) => parseObject(text));
  const broken = calls?.indexOf(undefined) ?? -1;
  if (broken >= 0) return `Expected --call to be a JSON object, got ${JSON.stringify(values.call?.[broken])}.`;
  return {
    kind: "check",
    path,
    format: values.tap ? "tap" : values.json ? "json" : "text",
    isStrict: values.strict === true,
    calls: calls?.filter((call) => call !== undefined),
    callExamples: values.examples,
    cwd,
    only: values.only?.flatMap(ids),
    skip: values.skip?.flatMap(ids),
  };
}

function parse(args: readonly string[]) {
  return optionProblem(args, options) ?? parseArgs({ args: [...args], options, allowPositionals: true });
}

/** Ids can be repeated options or separated by commas. */
function ids(list: string): string[] {
  return list.split(",");
}

function help(name: string): string {
  return `Tests whether an executable follows the ikigai tool protocol.

Usage: ${name} PATH [OPTIONS]

  --call JSON     call it with these arguments; can be repeated. Without --call, makes real calls only if its schema
                  declares readOnlyHint: true and openWorldHint: false
  --examples      call it with the examples of its schema, even if not declared read-only
  --cwd DIR       make those calls in DIR (default: an empty directory)
  --only ID,…     run only these checks and their prerequisites
  --skip ID,…     skip these checks
  --strict        treat SHOULD violations as failures
  --tap, --json   print the report as TAP 14, or as one JSON object
  --list          list the checks and exit (with --json as JSON)

Exit codes: 0 it follows the protocol, 1 it does not, 2 wrong usage.
`;
}

/** Removes what is in the current line of a terminal. */
const emptyLine = "\r\u001b[K";

/**
 * Returns what shows a text in the current line of a terminal, in place of the one before; `undefined` if stderr is not a terminal that
 * can do so. Never throws.
 */
export function statusLine(
  print: (text: string) => void,
  options: { readonly isTerminal: boolean; readonly env: NodeJS.ProcessEnv },
): ((text: string) => void) | undefined {
  const { isTerminal, env } = options;
  if (!isTerminal || !env.TERM || env.TERM === "dumb") return undefined;
  return (text) => print(`${emptyLine}${text}`);
}
