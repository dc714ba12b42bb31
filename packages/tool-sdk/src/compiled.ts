import type { JsonObject } from "@ikigai/protocol";

/** The first thing that is wrong with the arguments, as ajv reports it. */
export interface SchemaViolation {
  /** Where, as a JSON Pointer. */
  readonly instancePath: string;
  /** The JSON Schema keyword that failed. */
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What the build makes of a tool's `schema.ts` and `package.json`. */
export interface CompiledTool {
  /** The package's version. */
  readonly version: string;
  /** Checks arguments against `parameters`; after `false` the reason is in `errors`. */
  readonly check: { (args: JsonObject): boolean; errors?: readonly SchemaViolation[] | null };
  /** Prints an answer as JSON: the fields `output` names, nothing else. */
  readonly serialize: (answer: unknown) => string;
}
