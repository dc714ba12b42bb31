import type { JsonObject } from "@ikigai/protocol";

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
