import { closeSync, fstatSync } from "node:fs";
import { writeAll } from "@ikigai/system";
import type { CompiledTool } from "./compiled.ts";
import type { ObjectSchema, ToolContext, ToolDefinition } from "./define-tool.ts";
import { fitAnswer } from "./fit-answer.ts";
import { fitFailure } from "./fit-failure.ts";
import { InvalidCall, readArguments, toArguments } from "./read-arguments.ts";
import { stopAt } from "./stop-time.ts";
import { ToolFailure } from "./tool-failure.ts";
import { usage } from "./usage.ts";
import { ignoredSchema, withIgnored } from "./with-ignored.ts";

/** Any tool, whatever its schemas. */
type AnyTool = Omit<ToolDefinition<ObjectSchema, ObjectSchema>, "recount" | "run" | "warmUp"> & {
  recount?(output: string): Readonly<Record<string, unknown>>;
  warmUp?(): unknown;
  run(args: never, context: ToolContext): unknown;
};

const exitOk = 0;
const exitFailed = 1;
const exitUsage = 2;

/**
 * Makes an executable of a tool: answers `--schema`, `--help` and `--version`, otherwise does the one call whose arguments
 * stand on stdin. Exits 0 with an answer on stdout, 1 with the reason on stderr, 2 when it was started the wrong way.
 */
export async function serve(tool: AnyTool, compiled: CompiledTool): Promise<void> {
  try {
    process.exitCode = await main(tool, compiled, process.argv[2]);
  } catch (error) {
    complain(error instanceof InvalidCall ? error.message : describeBug(error));
    process.exitCode = exitFailed;
  }
}

async function main(tool: AnyTool, compiled: CompiledTool, flag: string | undefined): Promise<number> {
  if (flag === "--schema") return print(`${schemaText(tool, compiled)}\n`);
  if (flag === "--help") return print(`${usage(tool)}\n`);
  if (flag === "--version") return print(`${compiled.version}\n`);
  if (flag !== undefined || isTerminal(0)) {
    if (flag !== undefined) complain(`Expected --schema, --help or --version, got ${JSON.stringify(flag)}.\n`);
    complain(usage(tool));
    return exitUsage;
  }
  return print(await answer(tool, compiled));
}

async function answer(tool: AnyTool, compiled: CompiledTool): Promise<string> {
  if (process.env.IKIGAI_PRESTART !== undefined) await warmUp(tool, compiled);
  const { args, ignored } = readArguments(compiled, tool.parameters, tool.aliases);
  const maxBytes = positiveNumber(process.env.IKIGAI_MAX_OUTPUT_BYTES);
  const context = { maxOutputBytes: maxBytes, stopAtMs: stopAt(positiveNumber(process.env.IKIGAI_TIMEOUT_MS)) };
  const { keeps = "head", recount } = tool;
  try {
    const result = (await tool.run(args as never, context)) as Record<string, unknown>;
    return fitAnswer(result, { maxBytes, keeps, recount, serialize: withIgnored(compiled.serialize, ignored) });
  } catch (error) {
    if (error instanceof ToolFailure) return fitFailure(error, maxBytes, ignored);
    throw error;
  }
}

/** A limit that the host sets. A value that is no number is no limit: an answer is better than none. */
function positiveNumber(value: string | undefined): number {
  const wanted = Number(value);
  return wanted > 0 ? wanted : Number.POSITIVE_INFINITY;
}

/** Spends the time before the arguments come on loading and compiling what the call will need. */
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
    // Most tools want something.
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

/** Loading `node:tty` costs 2.5 ms, so only a character device is asked whether it is a terminal. */
function isTerminal(fd: number): boolean {
  return fstatSync(fd).isCharacterDevice() && process.getBuiltinModule("node:tty").isatty(fd);
}

function print(text: string): number {
  writeAll(1, text);
  // The host need not wait until Node has taken itself down, and may end it now: nothing may be left to do.
  closeSync(1);
  return exitOk;
}

function complain(text: string): void {
  try {
    writeAll(2, `${text}\n`);
  } catch {
    // Nobody listens; the exit code still tells.
  }
}

function describeBug(error: unknown): string {
  const { code, syscall } = error as NodeJS.ErrnoException;
  // A reader that went away, or a full disk behind stdout: the system's word, no stack.
  if (syscall === "write") return `Cannot write the answer: ${code}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
