import { type JsonObject, kindOf } from "./json.ts";
import { readAnnotations, readExtensions } from "./read-extensions.ts";
import { readObjectSchema } from "./read-object-schema.ts";
import { isTooDeep, maxSchemaDepth, referenceProblem } from "./structure-problem.ts";
import type { ToolSchema } from "./tool-schema.ts";

/** What a tool said of itself, in the form a host works with. */
export interface KnownSchema {
  readonly schema: ToolSchema;
  /** What is odd about it, a sentence each. */
  readonly warnings: readonly string[];
}

/** Reads what a tool printed for `--schema`, or says why it cannot be used. `name` is its file's, and wins over its own. */
export function readToolSchema(declared: JsonObject, name: string): KnownSchema | { readonly problem: string } {
  const { name: ownName, description = "", title } = declared;
  if (typeof ownName !== "string") return { problem: `expected "name" to be a string, got ${kindOf(ownName)}` };
  if (typeof description !== "string") {
    return { problem: `expected "description" to be a string, got ${kindOf(description)}` };
  }
  if (isTooDeep(declared)) return { problem: `it is nested deeper than ${maxSchemaDepth} levels` };
  const parameters = readObjectSchema(declared.parameters ?? declared.inputSchema);
  const problem = "problem" in parameters ? parameters.problem : referenceProblem(parameters.schema);
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

function oddities(ownName: string, name: string, description: string): string[] {
  const warnings: string[] = [];
  if (ownName !== name)
    warnings.push(`Its schema names it ${JSON.stringify(ownName)}; its file's name counts: ${name}.`);
  if (description === "") warnings.push("Its schema has no description, so a model has to guess what it is for.");
  return warnings;
}
