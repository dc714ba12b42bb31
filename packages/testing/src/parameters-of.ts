import { type JsonObject, type JsonValue, readObjectSchema } from "@ikigai/protocol";

/** The parameters in what a tool says of itself; MCP calls them `inputSchema`. */
export function parametersOf(schema: JsonObject): JsonValue | undefined {
  return schema.parameters ?? schema.inputSchema;
}

/** The parameters as a host reads them, whichever form the tool has chosen; empty when a host refuses them. */
export function objectSchemaOf(schema: JsonObject): JsonObject {
  const reading = readObjectSchema(parametersOf(schema));
  return "schema" in reading ? reading.schema : {};
}
