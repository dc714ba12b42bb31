import { closeSync, fstatSync } from "node:fs";
import { writeAll } from "@ikigai/system";
import type { CompiledTool } from "./compiled.ts";
import type { ObjectSchema, ToolDefinition } from "./define-tool.ts";
import { fitAnswer } from "./fit-answer.ts";
import { fitFailure } from "./fit-failure.ts";
import { InvalidCall, readArguments, toArguments } from "./read-arguments.ts";
import { type StopSignal, stopSignal } from "./stop-signal.ts";
import { createContext, type ToolContext } from "./tool-context.ts";
import { ToolFailure } from "./tool-failure.ts";
import { usage } from "./usage.ts";
import { ignoredSchema, withIgnored } from "./with-ignored.ts";

/** Any tool, whatever its schemas. */
export type AnyTool = Omit<ToolDefinition<ObjectSchema, ObjectSchema>, "errorCodes" | "recount" | "run" | "warmUp"> & {
  recount?(output: string): Readonly<Record<string, unknown>>;
  warmUp?(): unknown;
  run(args: never, context: ToolContext<string>): unknown;
};

const exitOk = 0;
const exitFailed = 1;
const exitUsage = 2;

/**
 * Runs a tool as a program: prints `--schema`, `--help` and `--version`, otherwise does one call with the arguments from
 * stdin. Exits 0 with an answer on stdout, 1 with the reason on stderr, 2 for a wrong command line.
 */
export async function serve(tool: AnyTool, compiled: CompiledTool): Promise<void> {
  const stop = stopSignal();
  try {
    process.exitCode = await main(tool, compiled, stop, process.argv[2]);
  } catch (error) {
    // Ends as SIGTERM would have ended it: the handler that turned it into an abort is gone after one use.
    if (stop.isCauseOf(error)) process.kill(process.pid, "SIGTERM");
    complain(error instanceof InvalidCall ? error.message : describeBug(error));
    process.exitCode = exitFailed;
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
  return print(await answer(tool, compiled, stop));
}

async function answer(tool: AnyTool, compiled: CompiledTool, stop: StopSignal): Promise<string> {
  if (process.env.IKIGAI_PRESTART !== undefined) await warmUp(tool, compiled);
  const { args, ignored } = readArguments(compiled, tool.parameters, tool.aliases);
  const context = createContext(process.env, stop);
  const { maxOutputBytes: maxBytes } = context;
  const { keeps = "head", recount } = tool;
  try {
    const result = (await tool.run(args as never, context)) as Record<string, unknown>;
    return fitAnswer(result, { maxBytes, keeps, recount, serialize: withIgnored(compiled.serialize, ignored) });
  } catch (error) {
    if (error instanceof ToolFailure) return fitFailure(error, maxBytes, ignored);
    throw error;
  }
}

/** Loads and compiles what the call will need, while the arguments are not there yet. */
async function warmUp(tool: AnyTool, compiled: CompiledTool): Promise<void> {
  const { serialize } = compiled;
  readNothing(tool, compiled);
  const sample = await tool.warmUp?.();
  if (sample)
    fitAnswer(sample as Record<string, unknown>, { maxBytes: Number.POSITIVE_INFINITY, keeps: "head", serialize });
}

function readNothing({ parameters }: AnyTool, compiled: CompiledTool): void {
  try {
    toArguments(Buffer.from("{}"), compiled, parameters);
  } catch {
    // Most tools have required parameters.
  }
}

function schemaText(
  { name, description, parameters, output, annotations, ikigai }: AnyTool,
  { version }: CompiledTool,
) {
  return JSON.stringify({
    name,
    description,
    parameters,
    outputSchema: { ...output, properties: { ...output.properties, ignored: ignoredSchema } },
    annotations,
    ikigai: { version, ...ikigai },
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

function complain(text: string): void {
  try {
    writeAll(2, `${text}\n`);
  } catch {
    // stderr is closed; the exit code still says it.
  }
}

function describeBug(error: unknown): string {
  const { code, syscall } = error as NodeJS.ErrnoException;
  // The reader has gone, or stdout is on a full disk: the system's reason, without a stack.
  if (syscall === "write") return `Cannot write the answer: ${code}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
