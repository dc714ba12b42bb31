import { type JsonObject, type JsonValue, readObjectSchema } from "@ikigai/protocol";

/** The parameters in a schema; MCP calls them `inputSchema`. */
export function parametersOf(schema: JsonObject): JsonValue | undefined {
  return schema.parameters ?? schema.inputSchema;
}

/** The parameters as a host reads them, in either form; empty if a host rejects them. */
export function objectSchemaOf(schema: JsonObject): JsonObject {
  const reading = readObjectSchema(parametersOf(schema));
  return "schema" in reading ? reading.schema : {};
}
