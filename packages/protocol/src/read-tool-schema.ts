import { isJsonObject, type JsonObject, kindOf } from "./json.ts";
import { keywordProblem } from "./keyword-problem.ts";
import { readAnnotations, readExtensions } from "./read-extensions.ts";
import { readObjectSchema } from "./read-object-schema.ts";
import { isTooDeep, maxSchemaDepth, referenceProblem } from "./structure-problem.ts";
import type { ToolSchema } from "./tool-schema.ts";

/** A tool's schema in the form a host uses. */
export interface KnownSchema {
  /** Normalized: aliases and the older parameter form are resolved. */
  readonly schema: ToolSchema;
  /** Oddities, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Reads the answer to `--schema`, or says why it cannot be used. Never throws.
 *
 * @param declared the object that `--schema` printed.
 * @param name the tool's name from its file, which overrides the schema's own.
 *
 * @example
 * const reading = readToolSchema(JSON.parse(stdout), "weather");
 * if ("problem" in reading) console.error(reading.problem);
 * else console.log(reading.schema.parameters);
 */
export function readToolSchema(declared: JsonObject, name: string): KnownSchema | { readonly problem: string } {
  const { name: ownName, description = "", title } = declared;
  if (declared.type === "function" && isJsonObject(declared.function))
    return { problem: 'it has the form of the OpenAI API: print only the object inside "function"' };
  if (typeof ownName !== "string") return { problem: `expected "name" to be a string, got ${kindOf(ownName)}` };
  if (typeof description !== "string") {
    return { problem: `expected "description" to be a string, got ${kindOf(description)}` };
  }
  if (isTooDeep(declared)) return { problem: `it is nested deeper than ${maxSchemaDepth} levels` };
  const parameters = readObjectSchema(declared.parameters ?? declared.inputSchema);
  const problem = "problem" in parameters ? parameters.problem : schemaProblem(parameters.schema);
  if ("problem" in parameters || problem !== undefined) return { problem: `"parameters": ${problem}` };
  const answer = readObjectSchema(declared.outputSchema ?? declared.returns);
  const annotations = readAnnotations(declared.annotations);
  const ikigai = readExtensions(declared.ikigai);
  const schema: ToolSchema = {
    name,
    description,
    parameters: parameters.schema,
    ...(typeof title === "string" && { title }),
    ...("schema" in answer && { outputSchema: answer.schema }),
    ...(annotations && { annotations }),
    ...(ikigai && { ikigai }),
  };
  return { schema, warnings: oddities(ownName, name, description) };
}

function schemaProblem(parameters: JsonObject): string | undefined {
  return keywordProblem(parameters) ?? referenceProblem(parameters);
}

function oddities(ownName: string, name: string, description: string): string[] {
  const warnings: string[] = [];
  if (ownName !== name)
    warnings.push(`Its schema names it ${JSON.stringify(ownName)}, but its file name decides: ${name}.`);
  if (description === "") warnings.push("Its schema has no description, so models must guess what it does.");
  return warnings;
}
