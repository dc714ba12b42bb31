import { isJsonObject, type JsonObject, type JsonValue } from "@ikigai/protocol";

/** A tool as a server lists it: the fields that count. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: JsonObject;
}

/** Longer than any real name, in characters. */
const maxNameLength = 1_000;

/** Reads an element of a server's list, without the fields that do not count; `undefined` if it is not a tool. */
export function readListedTool(value: JsonValue | undefined): ListedTool | undefined {
  if (!isJsonObject(value)) return undefined;
  const { name, title, description, inputSchema, outputSchema, annotations } = value;
  if (typeof name !== "string" || !isJsonObject(inputSchema)) return undefined;
  if (name === "" || name.length > maxNameLength || name.includes("\0")) return undefined;
  return {
    name,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    inputSchema,
    ...(isJsonObject(outputSchema) && { outputSchema }),
    ...(isJsonObject(annotations) && { annotations }),
  };
}
