// Runs a tool as a program.
import { closeSync, fstatSync } from "node:fs";
import { writeAll } from "@ikigai/system";
import { answerCall, ignoredSchema, warmUp } from "./answer.ts";
import { readArguments } from "./arguments.ts";
import type { AnyTool, BuiltTool, CompiledTool } from "./built-tool.ts";
import { complain, exitAfter, type StopSignal, stopSignal, untilAnswered } from "./failure.ts";
import { declareHostMethods } from "./request-host.ts";
import { serveCalls } from "./serving/serve-calls.ts";
import { jobPlace, type LeftJob, processContext } from "./tool-context.ts";

const exitOk = 0;
const exitUsage = 2;

/**
 * Runs a tool as a program: prints `--schema`, `--help` and `--version`, otherwise does one call with the arguments from
 * stdin, or several if the tool `serves` or has a service and the host wants that. Exits 0 with an answer on stdout, 1 with the
 * reason on stderr, 2 for a wrong command line. Never rejects: what the tool throws becomes the answer or the exit code.
 */
export async function serve(tool: AnyTool, compiled: CompiledTool): Promise<void> {
  const stop = stopSignal();
  try {
    process.exitCode = await main(tool, compiled, stop, process.argv[2]);
  } catch (error) {
    await exitAfter(error, stop);
  } finally {
    // From here on SIGTERM ends a process that something keeps alive.
    stop.release();
  }
}

async function main(
  tool: AnyTool,
  compiled: CompiledTool,
  stop: StopSignal,
  flag: string | undefined,
): Promise<number> {
  if (flag === "--schema") return print(`${schemaText(tool, compiled)}\n`);
  if (flag === "--help") return print(`${usage(tool)}\n`);
  if (flag === "--version") return print(`${compiled.version}\n`);
  if (flag !== undefined || isTerminal(0)) {
    if (flag !== undefined) complain(`Expected --schema, --help or --version, got ${JSON.stringify(flag)}.\n`);
    complain(usage(tool));
    return exitUsage;
  }
  declareHostMethods(tool.ikigai?.host ?? []);
  const built = { tool, compiled };
  if (tool.service !== undefined) return tool.service.serve(built, stop);
  if (process.env.IKIGAI_SERVE === "1" && tool.ikigai?.serves === true) return serveCalls(built);
  const left = jobPlace();
  const exitCode = print(await answer(built, stop, left));
  // Something that the tool does not wait for may be open.
  if (left?.job) process.exit(await left.job.until);
  return exitCode;
}

async function answer(built: BuiltTool, stop: StopSignal, left: LeftJob | undefined): Promise<string> {
  const { tool, compiled } = built;
  if (process.env.IKIGAI_PRESTART !== undefined) await warmUp(built);
  const args = readArguments(compiled, tool);
  return untilAnswered(answerCall(built, args, processContext(stop, undefined, left), left));
}

/** @throws Error if an alias stands for a parameter that there is not: the build reports it to the author. */
function schemaText(
  {
    name,
    description,
    parameters,
    advertised = parameters,
    output,
    annotations,
    ikigai,
    service,
    aliases = {},
  }: AnyTool,
  { version }: CompiledTool,
) {
  for (const [alias, parameter] of Object.entries(aliases))
    if (!Object.hasOwn(parameters.properties, parameter))
      throw new Error(`aliases: "${alias}" stands for "${parameter}", which is not in the properties of parameters.`);
  return JSON.stringify({
    name,
    description,
    parameters: advertised,
    outputSchema: { ...output, properties: { ...output.properties, ignored: ignoredSchema } },
    annotations,
    ikigai: { version, ...ikigai, service: service?.name },
  });
}

/** Loading `node:tty` costs 2.5 ms, so this loads it only for a character device. */
function isTerminal(fd: number): boolean {
  return fstatSync(fd).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(fd);
}

function print(text: string): number {
  writeAll(1, text);
  // Tells the host that the answer is complete, so it need not wait until Node has shut down, and may kill it now.
  closeSync(1);
  return exitOk;
}

interface Described {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
  readonly advertised?: object;
}

/** The text of `--help`, also printed when the tool starts on a terminal. */
function usage({ name, description, parameters, advertised = parameters }: Described): string {
  const { properties = {}, required = [] } = advertised as {
    properties?: Record<string, { type?: string; description?: string }>;
    required?: readonly string[];
  };
  const command = `${name.replaceAll("_", "-")}-tool`;
  const lines = Object.entries(properties).map(([key, { type = "any", description: text = "" }]) => {
    const kind = required.includes(key) ? type : `${type}, optional`;
    return `  ${key} (${kind})  ${text}`;
  });
  return [
    `${command}: ${description}`,
    "",
    `Usage: echo '${JSON.stringify(example(properties, required))}' | ${command}`,
    `       ${command} --schema | --help | --version`,
    "",
    "Reads one JSON object from stdin, prints one JSON object on stdout:",
    ...lines,
  ].join("\n");
}

function example(properties: Record<string, { type?: string }>, required: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(required.map((key) => [key, properties[key]?.type === "string" ? "…" : 1]));
}
