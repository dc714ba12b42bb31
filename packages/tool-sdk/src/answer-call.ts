import type { CompiledTool } from "./compiled.ts";
import type { ObjectSchema, ToolDefinition } from "./define-tool.ts";
import { fitAnswer } from "./fit-answer.ts";
import { fitFailure } from "./fit-failure.ts";
import { InvalidCall } from "./invalid-call.ts";
import { type Arguments, toArguments } from "./read-arguments.ts";
import type { StopSignal } from "./stop-signal.ts";
import { createContext, type ToolContext } from "./tool-context.ts";
import { ToolFailure } from "./tool-failure.ts";
import { withIgnored } from "./with-ignored.ts";

/** Any tool, whatever its schemas. */
export type AnyTool = Omit<ToolDefinition<ObjectSchema, ObjectSchema>, "errorCodes" | "recount" | "run" | "warmUp"> & {
  recount?(output: string): Readonly<Record<string, unknown>>;
  warmUp?(): unknown;
  /** Does one call and returns its answer. */
  run(args: never, context: ToolContext<string>): unknown;
};

/** A tool with the code generated from its schemas. */
export interface BuiltTool {
  readonly tool: AnyTool;
  readonly compiled: CompiledTool;
}

/**
 * Does one call with the limits in the environment.
 *
 * @returns the answer as JSON, without a newline.
 * @throws whatever `run` throws that is not a `ToolFailure`.
 */
export async function answerCall(
  { tool, compiled }: BuiltTool,
  { args, ignored }: Arguments,
  stop: StopSignal,
): Promise<string> {
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
export async function warmUp({ tool, compiled }: BuiltTool): Promise<void> {
  const { serialize } = compiled;
  readNothing(tool, compiled);
  const sample = await tool.warmUp?.();
  if (sample)
    fitAnswer(sample as Record<string, unknown>, { maxBytes: Number.POSITIVE_INFINITY, keeps: "head", serialize });
}

function readNothing({ parameters }: AnyTool, compiled: CompiledTool): void {
  try {
    toArguments({}, compiled, parameters);
  } catch (error) {
    // Most tools have required parameters.
    if (!(error instanceof InvalidCall)) throw error;
  }
}
