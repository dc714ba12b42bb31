// A tool as the rest of the SDK handles it, whatever its types, and the code that the build generates for it.
import type { JsonObject, ToolAnnotations, ToolExtensions } from "@ikigai/protocol";
import type { StopSignal } from "./failure.ts";
import type { ToolContext } from "./tool-context.ts";

/** A JSON Schema of an object, written `as const`. */
export interface ObjectSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, unknown>>;
  readonly additionalProperties?: unknown;
}

/** Any tool, whatever its schemas, error codes and state. The fields are those of `ToolDefinition`. */
export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  readonly advertised?: ObjectSchema;
  readonly output: ObjectSchema;
  readonly annotations?: ToolAnnotations;
  readonly ikigai?: ToolExtensions;
  readonly service?: AnyService;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly accepts?: readonly string[];
  readonly keeps?: "head" | "head and tail";
  recount?(answer: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  warmUp?(): unknown;
  /** Does one call and returns its answer. */
  run(args: never, context: ToolContext<string, never>): unknown;
}

/** Any service, whatever its state. */
export interface AnyService {
  /** Its name, which other tools may share. */
  readonly name: string;
  /** Answers the calls of this process. Returns its exit code. */
  serve(built: BuiltTool, stop: StopSignal): Promise<number>;
}

/** A tool with the code generated from its schemas. */
export interface BuiltTool {
  readonly tool: AnyTool;
  readonly compiled: CompiledTool;
}

/** The first violation of the schema by the arguments, as ajv reports it. */
export interface SchemaViolation {
  /** The place in the arguments, as a JSON Pointer. */
  readonly instancePath: string;
  /** The place of the keyword in the schema, as the fragment of a URI. */
  readonly schemaPath: string;
  /** The JSON Schema keyword that failed. */
  readonly keyword: string;
  /** What the keyword expected, by ajv's names: `missingProperty`, `type`, `allowedValues`, … */
  readonly params: Readonly<Record<string, unknown>>;
}

/** The code that the build generates from a tool's `schema.ts` and `package.json`. */
export interface CompiledTool {
  /** The package's version. */
  readonly version: string;
  /** Checks arguments against `parameters`. If it returns `false`, `errors` has the reason. */
  readonly check: {
    (args: JsonObject): boolean;
    /** The violations that the last check found. */
    errors?: readonly SchemaViolation[] | null;
  };
  /** Converts an answer to JSON, with only the fields in `output`. */
  readonly serialize: (answer: unknown) => string;
}
