import type { ToolAnnotations, ToolExtensions } from "@ikigai/protocol";
import type { FromSchema, JSONSchema } from "json-schema-to-ts";

/** A JSON Schema of an object, written `as const`. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

/** The type of the values that a schema allows. */
type Value<Schema> = Schema extends JSONSchema ? FromSchema<Schema> : never;

/** What a call is given beside its arguments. */
export interface ToolContext {
  /** How many bytes the whole answer may have; `Infinity` when no host has set a limit. */
  readonly maxOutputBytes: number;
  /** When to stop and answer with what there is, by the clock `monotonicMs`; `Infinity` when no host has set a time. */
  readonly stopAtMs: number;
}

/** A tool as a value: everything that `serve` needs to turn it into an executable. */
export interface ToolDefinition<Parameters extends ObjectSchema, Output extends ObjectSchema> {
  /** As the model calls it: the file's name without `-tool`, with `_` for `-`. */
  readonly name: string;
  /** One sentence for the model. */
  readonly description: string;
  readonly parameters: Parameters;
  readonly output: Output;
  readonly annotations?: ToolAnnotations;
  readonly ikigai?: ToolExtensions;
  /** Names that are accepted for a parameter, and not advertised. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Which part of an `output` that is too long for the host survives; `head` unless told. */
  readonly keeps?: "head" | "head and tail";
  /** The fields of the answer that follow from its `output`, for when that was cut to fit. May not make the answer longer. */
  recount?(output: string): Partial<Value<Output>>;
  /**
   * Goes once through the work of a call, without any effect, and gives an answer of the usual shape. Done when a host has
   * started the tool before it knows the arguments: code that has run before takes half the time.
   */
  warmUp?(): Value<Output> | Promise<Value<Output>>;
  /**
   * Does the work of one call.
   *
   * @throws ToolFailure when the operation failed in a way the model can act on. Everything else thrown is a bug.
   */
  run(args: Value<Parameters>, context: ToolContext): Value<Output> | Promise<Value<Output>>;
}

/** Gives a tool the types of its schemas. */
export function defineTool<const Parameters extends ObjectSchema, const Output extends ObjectSchema>(
  definition: ToolDefinition<Parameters, Output>,
): ToolDefinition<Parameters, Output> {
  return definition;
}
