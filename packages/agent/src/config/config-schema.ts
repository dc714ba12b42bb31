import { configShape, pathPattern, type Shape } from "./config-shape.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

/** Returns the JSON Schema of `config.json`, for completion and checks in editors. */
export function configSchema(): JsonSchema {
  return fileSchema(configShape, "ikigai config.json");
}

/** Returns the JSON Schema of a file of this shape. */
export function fileSchema(shape: Shape, title: string): JsonSchema {
  const head = { $schema: "http://json-schema.org/draft-07/schema#", title };
  return { ...head, ...schemaOf(shape), allowComments: true, allowTrailingCommas: true };
}

function schemaOf(shape: Shape): JsonSchema {
  const description = shape.about === undefined ? {} : { description: shape.about };
  return { ...typeOf(shape), ...description };
}

function typeOf(shape: Shape): JsonSchema {
  switch (shape.type) {
    case "string":
      return {
        type: "string",
        ...(shape.oneOf ? { enum: shape.oneOf } : { minLength: 1 }),
        ...(shape.pattern && { pattern: shape.pattern.source }),
        ...(shape.example && { examples: [shape.example] }),
      };
    case "integer":
      return { type: "integer", minimum: shape.min, ...(shape.max !== undefined && { maximum: shape.max }) };
    case "amount":
      return { type: "number", exclusiveMinimum: 0 };
    case "boolean":
      return { type: "boolean" };
    case "object": {
      const properties = Object.entries(shape.keys).map(([name, inner]) => [name, schemaOf(inner)]);
      return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties) };
    }
    case "map": {
      const patterns = shape.patterns && { patternProperties: { "\\*$": schemaOf(shape.patterns) } };
      return { type: "object", ...patterns, additionalProperties: schemaOf(shape.values) };
    }
    case "rules":
      return { type: "array", items: ruleSchema };
    case "texts":
      return {
        type: "array",
        items: { type: "string", minLength: 1, ...(shape.pattern && { pattern: shape.pattern.source }) },
        minItems: shape.min ?? 0,
      };
    case "paths":
      return { type: "array", items: { type: "string", pattern: pathPattern.source } };
    default:
      return shape satisfies never;
  }
}

const rule = { type: "string", minLength: 1, examples: ["bash(npm test)"] };

const examples = { type: "array", items: { type: "string", minLength: 1 } };

const ruleSchema: JsonSchema = {
  type: "object",
  minProperties: 1,
  maxProperties: 3,
  additionalProperties: false,
  properties: { allow: rule, ask: rule, deny: rule, matches: examples, not: examples },
};
