import { isJsonObject } from "@ikigai/protocol";
import type { AnyTool, BuiltTool } from "./any-tool.ts";
import { withCommonFields } from "./common-fields.ts";
import type { CompiledTool } from "./compiled.ts";
import { describeValue } from "./describe-violation.ts";
import { fitAnswer } from "./fit-answer.ts";
import { fitFailure } from "./fit-failure.ts";
import { InvalidCall } from "./invalid-call.ts";
import { type Arguments, toArguments } from "./read-arguments.ts";
import type { LeftJob, ToolContext } from "./tool-context.ts";
import { ToolFailure } from "./tool-failure.ts";
import { withIgnored } from "./with-ignored.ts";

/**
 * Does one call.
 *
 * @returns the answer as JSON, without a newline.
 * @throws whatever `run` throws that is not a `ToolFailure`.
 */
export async function answerCall(
  { tool, compiled }: BuiltTool,
  { args, ignored, refusal }: Arguments,
  context: ToolContext<string, unknown>,
  left?: LeftJob,
): Promise<string> {
  const { maxOutputBytes: maxBytes } = context;
  const { keeps = "head", recount } = tool;
  try {
    if (refusal !== undefined) throw refusal;
    const result: unknown = await tool.run(args as never, context as never);
    if (!isJsonObject(result)) throw new TypeError(`Expected run to return an object, got ${describeValue(result)}.`);
    const serialize = withIgnored(withCommonFields(compiled.serialize, tool.output), ignored);
    const answer = left?.job ? { ...result, job: true } : result;
    return fitAnswer(answer, { maxBytes, keeps, recount, serialize });
  } catch (error) {
    if (error instanceof ToolFailure) return fitFailure(error, maxBytes, ignored);
    throw error;
  }
}

/** Loads and compiles what the call will need, while the arguments have not arrived. */
export async function warmUp({ tool, compiled }: BuiltTool): Promise<void> {
  const { serialize } = compiled;
  readNothing(tool, compiled);
  const sample = await tool.warmUp?.();
  if (sample)
    fitAnswer(sample as Record<string, unknown>, { maxBytes: Number.POSITIVE_INFINITY, keeps: "head", serialize });
}

function readNothing(tool: AnyTool, compiled: CompiledTool): void {
  try {
    toArguments({}, compiled, tool);
  } catch (error) {
    // Most tools have required parameters.
    if (!(error instanceof InvalidCall)) throw error;
  }
}
