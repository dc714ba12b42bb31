import { isJsonObject, isOlderForm, type JsonObject, type JsonValue, readObjectSchema } from "@ikigai/protocol";

/** The parameters in a schema; MCP calls them `inputSchema`. */
export function parametersOf(schema: JsonObject): JsonValue | undefined {
  return schema.parameters ?? schema.inputSchema;
}

/** The parameters as a host reads them, in either form; empty if a host rejects them. */
export function objectSchemaOf(schema: JsonObject): JsonObject {
  const reading = readObjectSchema(parametersOf(schema));
  return "schema" in reading ? reading.schema : {};
}

/** The schema of the parameter with this name. */
export function parameterCalled(name: JsonValue, schema: JsonObject): JsonValue | undefined {
  const parameters = parametersOf(schema);
  if (typeof name !== "string" || !isJsonObject(parameters)) return undefined;
  const properties = isOlderForm(parameters) ? parameters : parameters.properties;
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}
