import type { ToolAnnotations, ToolExtensions } from "@ikigai/protocol";
import type { CompiledTool } from "./compiled.ts";
import type { StopSignal } from "./stop-signal.ts";
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
