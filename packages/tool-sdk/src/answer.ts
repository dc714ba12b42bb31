// One call: runs the tool, and prints its answer or failure with the fields that every answer may have.
import { isJsonObject, textStart, type Visual } from "@ikigai/protocol";
import { headEnd } from "@ikigai/system";
import { type Arguments, describeValue, toArguments } from "./arguments.ts";
import type { AnyTool, BuiltTool, CompiledTool, ObjectSchema } from "./built-tool.ts";
import { InvalidCall, ToolFailure } from "./failure.ts";
import { fitAnswer, type Serialize } from "./fit-answer.ts";
import type { LeftJob, ToolContext } from "./tool-context.ts";

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

/** What every answer may have besides the fields of its schema. */
export interface CommonFields {
  /** Whether something is missing, because it would not fit or the call was stopped. `serve` sets it when it cuts an answer. */
  readonly truncated?: boolean;
  /** What the host draws for the user; the model gets the texts in `alt`. At most 8. */
  readonly visual?: readonly Visual[];
}

/** Adds these fields to the end of an answer, unless its schema prints fields of these names. */
export function withCommonFields(serialize: Serialize, { properties, additionalProperties }: ObjectSchema): Serialize {
  if (additionalProperties) return serialize;
  const isAdded = (name: string) => !(name in properties);
  return (answer) => {
    const json = serialize(answer);
    const { truncated, visual, job } = answer as CommonFields & { readonly job?: boolean };
    const added = {
      ...(job === true && isAdded("job") && { job }),
      ...(truncated === true && isAdded("truncated") && { truncated }),
      ...(Array.isArray(visual) && visual.length > 0 && isAdded("visual") && { visual }),
    };
    if (Object.keys(added).length === 0) return json;
    const start = json.slice(0, -1);
    return `${start}${start === "{" ? "" : ","}${JSON.stringify(added).slice(1)}`;
  };
}

/** The most ignored fields that an answer lists, and the longest name, because a model can write anything. */
const maxNames = 10;
const maxNameLength = 40;

/** The schema of the field `ignored`, which every answer may have. */
export const ignoredSchema = {
  type: "array",
  items: { type: "string" },
  description: "Unknown arguments, which the tool ignored",
} as const;

/** Adds the ignored fields to the end of an answer. */
export function withIgnored(serialize: Serialize, ignored: readonly string[]): Serialize {
  if (ignored.length === 0) return serialize;
  const left = ignored.length - maxNames;
  const names = [...ignored.slice(0, maxNames).map(shorten), ...(left > 0 ? [`… ${left} more`] : [])];
  const field = `"ignored":${JSON.stringify(names)}}`;
  return (answer) => {
    const start = serialize(answer).slice(0, -1);
    return start === "{" ? start + field : `${start},${field}`;
  };
}

function shorten(name: string): string {
  return name.length <= maxNameLength ? name : `${textStart(name, maxNameLength)}…`;
}

/**
 * Prints a failure in at most `maxBytes`, with the fields that were ignored. One that is too long loses the end of its message; if that
 * is not enough, its details and those fields, too.
 */
export function fitFailure(
  { message, code, details }: ToolFailure<string>,
  maxBytes: number,
  ignored: readonly string[] = [],
): string {
  const failure = { error: message, error_code: code, ...details };
  const whole = withIgnored(JSON.stringify, ignored)(failure);
  if (Buffer.byteLength(whole) <= maxBytes) return whole;
  const around = withIgnored(JSON.stringify, ignored)({ ...failure, error: "", truncated: true });
  const room = maxBytes - Buffer.byteLength(around);
  // Half a message is worth more than its details.
  if (room >= Math.min(Buffer.byteLength(JSON.stringify(message)), maxBytes / 2))
    return withIgnored(
      JSON.stringify,
      ignored,
    )({ ...failure, error: message.slice(0, headEnd(message, room)), truncated: true });
  const cut = { error: "", error_code: code, truncated: true };
  cut.error = message.slice(0, headEnd(message, maxBytes - JSON.stringify(cut).length));
  return JSON.stringify(cut);
}
