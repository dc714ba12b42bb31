import type { JsonObject } from "@ikigai/protocol";
import { subschemas } from "./walk-schema.ts";

/** The keyword by which a parameter is repeated in a header of the call, since the protocol of 2026. */
const keyword = "x-mcp-header";

/** What a header can hold: of numbers only integers have one notation. */
const types: readonly unknown[] = ["string", "integer", "boolean"];

/** A name of a header (RFC 9110). */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Says why the headers that a tool wants for its parameters are invalid, as the end of a sentence; `undefined` if they are not. The
 * specification demands that clients with HTTP reject such a tool.
 */
export function headerProblem(inputSchema: JsonObject): string | undefined {
  const names = new Set<string>();
  // A parameter may be inside another one, but not inside an alternative or a list.
  const problemIn = (schema: JsonObject, isParameter: boolean): string | undefined => {
    if (Object.hasOwn(schema, keyword)) {
      const { type, [keyword]: name } = schema;
      if (!isParameter) return `its schema has ${keyword} elsewhere than at a parameter`;
      if (typeof name !== "string" || !token.test(name))
        return `${JSON.stringify(name)}, an ${keyword} of its schema, is not the name of a header`;
      if (!types.includes(type)) return `its parameter with the ${keyword} ${name} is not a string, integer or boolean`;
      if (names.has(name.toLowerCase())) return `several of its parameters have the ${keyword} ${name}`;
      names.add(name.toLowerCase());
    }
    for (const below of subschemas(schema)) {
      const problem = problemIn(
        below.schema,
        below.keyword === "properties" && (isParameter || schema === inputSchema),
      );
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return problemIn(inputSchema, false);
}
