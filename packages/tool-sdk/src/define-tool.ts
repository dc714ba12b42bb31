// What the author of a tool writes: the tool, and the service that keeps a state for its calls: one process for all calls of a
// conversation, or for one call without such a host.

import { basename } from "node:path";
import { type ToolAnnotations, type ToolErrorCode, type ToolExtensions, toolSuffix } from "@ikigai/protocol";
import { writeAll } from "@ikigai/system";
import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import { answerCall, type CommonFields } from "./answer.ts";
import { readArguments, toArguments } from "./arguments.ts";
import type { AnyService, BuiltTool, ObjectSchema } from "./built-tool.ts";
import { exitAfter, InvalidCall, type StopSignal, untilAnswered } from "./failure.ts";
import { closeState, runService, type ServiceDefinition } from "./serving/service-loop.ts";
import { createContext, processContext, type ToolContext } from "./tool-context.ts";

/** The type of the values that a schema allows. */
export type SchemaValue<Schema> = Schema extends JSONSchema ? FromSchema<Schema> : never;

/** The type of the answers that a schema allows. A field with a `default` may be left out, since the serializer adds it. */
export type AnswerValue<Schema> = Schema extends JSONSchema
  ? ReadonlyDeep<FromSchema<Schema, { keepDefaultedPropertiesOptional: true }>>
  : never;

/** A value that is only read, like what is written `as const`. */
type ReadonlyDeep<Value> = Value extends object ? { readonly [Key in keyof Value]: ReadonlyDeep<Value[Key]> } : Value;

/**
 * A tool as a value: everything that `serve` needs to turn it into an executable.
 *
 * @typeParam Parameters the schema of the arguments.
 * @typeParam Output the schema of the answer.
 * @typeParam OwnCode the tool's own error codes.
 * @typeParam State what its service keeps between calls.
 * @typeParam Answer what `run` returns.
 */
export interface ToolDefinition<
  Parameters extends ObjectSchema,
  Output extends ObjectSchema,
  OwnCode extends string = never,
  State = undefined,
  Answer extends AnswerValue<Output> & CommonFields = AnswerValue<Output> & CommonFields,
> {
  /** The name the model uses: the file name without `-tool`, with `_` for `-`. */
  readonly name: string;
  /** One sentence for the model. */
  readonly description: string;
  /** The schema of the arguments: the type of `run`'s first argument, and checked before each call. */
  readonly parameters: Parameters;
  /** What `--schema` prints instead of `parameters`, if the tool accepts more than the model needs to know. */
  readonly advertised?: ObjectSchema;
  /** The schema of the answer. Fields it does not name are not printed, except `truncated` and `visual`: see `CommonFields`. */
  readonly output: Output;
  /** MCP's hints about what a call does: `readOnlyHint` and the like. */
  readonly annotations?: ToolAnnotations;
  /** Settings for the host: `timeoutMs`, `maxOutputBytes`, `answerBytes`, `env`, `prestart`, `serves` and so on. */
  readonly ikigai?: Omit<ToolExtensions, "service">;
  /** The service that keeps the state of this tool in one process: made by `defineService`. */
  readonly service?: ToolService<State>;
  /** The tool's own error codes, which `fail` then accepts besides the protocol's. */
  readonly errorCodes?: readonly OwnCode[];
  /** Other names that are accepted for a parameter (`{other: parameter}`) but not in the schema. */
  readonly aliases?: Readonly<Record<string, keyof NoInfer<Parameters>["properties"] & string>>;
  /** Fields that `run` reads although the schema does not advertise them: they are in its arguments as they came, and not in `ignored`. */
  readonly accepts?: readonly string[];
  /** Which part of a long text survives when the answer is cut to fit: the beginning (default), or both ends. */
  readonly keeps?: "head" | "head and tail";
  /** The fields that depend on others, computed again when a field is cut: from the whole answer, and from the cut one. Must not make the answer longer. */
  recount?(answer: AnswerValue<Output>): Partial<AnswerValue<Output>>;
  /**
   * Runs the code of a typical call without side effects, and returns a typical answer. Called only when the host starts
   * the tool ahead of its calls (`prestart`, `serves`): code that has run once is about twice as fast.
   */
  warmUp?(): AnswerValue<Output> | Promise<AnswerValue<Output>>;
  /**
   * Does the work of one call.
   *
   * @throws ToolFailure when the operation failed in a way the model can act on. Anything else thrown is a bug.
   */
  run(
    args: SchemaValue<Parameters>,
    context: ToolContext<ToolErrorCode | NoInfer<OwnCode>, NoInfer<State>>,
  ): Answer | Promise<Answer>;
}

/**
 * Returns the tool unchanged, typed by its schemas and its error codes. Never throws.
 *
 * @typeParam Parameters the schema of the arguments.
 * @typeParam Output the schema of the answer.
 * @typeParam OwnCode the tool's own error codes.
 * @typeParam State what its service keeps between calls.
 * @typeParam Answer what `run` returns; `const`, so that `"a"` is not just any string.
 */
export function defineTool<
  const Parameters extends ObjectSchema,
  const Output extends ObjectSchema,
  const OwnCode extends string = never,
  State = undefined,
  const Answer extends AnswerValue<Output> & CommonFields = AnswerValue<Output> & CommonFields,
>(
  definition: ToolDefinition<Parameters, Output, OwnCode, State, Answer>,
): ToolDefinition<Parameters, Output, OwnCode, State> {
  return definition;
}

// Services of TypeScript tools: one process with a state for all calls of a conversation, or for one call without such a host.

/** A service, made by `defineService`. */
export interface ToolService<State> extends ServiceDefinition<State>, AnyService {}

/**
 * Returns a service for `defineTool`. One process answers the calls of a conversation, which may overlap, with the state that
 * `open` made; without a host that runs services, each call opens and closes its own. Never throws.
 *
 * @typeParam State what it keeps.
 */
export function defineService<State>(definition: ServiceDefinition<State>): ToolService<State> {
  return {
    ...definition,
    serve: (built, stop) =>
      process.env.IKIGAI_SERVE === "1" ? serveOverlapping(definition, built) : serveAlone(definition, built, stop),
  };
}

/** Answers the calls of a conversation. */
function serveOverlapping<State>(definition: ServiceDefinition<State>, built: BuiltTool): Promise<never> {
  return runService({
    ...definition,
    answer({ frame, state, stop, progress }) {
      const { tool, env } = frame;
      if (!namesOf(built).includes(tool)) throw new InvalidCall(`This service has no tool "${tool}".`);
      const args = toArguments(frame.arguments, built.compiled, built.tool);
      return answerCall(built, args, createContext({ ...process.env, ...env }, { state, stop, progress }));
    },
  });
}

/** The names by which a host may call the tool: its own, and that of a renamed file. */
function namesOf({ tool }: BuiltTool): readonly (string | undefined)[] {
  const file = basename(process.argv[1] ?? "", toolSuffix).replaceAll("-", "_");
  return [tool.name, file, process.env.IKIGAI_TOOL_NAME];
}

/**
 * Answers one call of a tool that has a service, without it: opens the state, runs the call, closes the state. Exits then, even if
 * something is still open.
 */
async function serveAlone<State>(
  service: ServiceDefinition<State>,
  { tool, compiled }: BuiltTool,
  stop: StopSignal,
): Promise<never> {
  const run = async (args: never) => {
    const state = await service.open(processContext(stop, undefined));
    try {
      return await tool.run(args, processContext(stop, state) as never);
    } finally {
      await closeState(service, state);
    }
  };
  try {
    const args = readArguments(compiled, tool);
    const call = answerCall({ tool: { ...tool, run }, compiled }, args, processContext(stop, undefined));
    writeAll(1, await untilAnswered(call));
  } catch (error) {
    await exitAfter(error, stop);
  }
  process.exit(0);
}
