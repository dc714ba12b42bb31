// Says what is wrong with a tool's schema.
import { MissingRefError } from "ajv";
import { ajvFor, dialectNames, draftProblem } from "./dialect.mjs";
import { schemasIn, valueAt } from "./schemas-in.mjs";

/** A schema that cannot be compiled. The message is for the tool's author. */
export class SchemaProblem extends Error {}

/**
 * Compiles one of a tool's schemas.
 *
 * @param otherProblem says what else is wrong with a valid schema.
 * @throws SchemaProblem if it is not a valid schema, or `compile` fails.
 */
export function compiledOf(name, schema, compile, otherProblem = () => undefined) {
  const refuse = (reason) => {
    throw new SchemaProblem(`src/schema.ts: "${name}" ${reason}`);
  };
  try {
    const problem = problemOf(schema) ?? otherProblem(schema) ?? wrongDefault(schema);
    return problem === undefined ? compile(schema) : refuse(problem);
  } catch (error) {
    if (error instanceof SchemaProblem) throw error;
    refuse(reasonOf(error));
  }
}

function problemOf(schema) {
  if (schema.type !== "object" || typeof schema.properties !== "object" || schema.properties === null)
    return 'must have "type": "object" and "properties": {…} at its top level.';
  const ajv = ajvFor(schema);
  if (!ajv) {
    const names = dialectNames.map((name) => JSON.stringify(name)).join(" or ");
    return `has the $schema ${JSON.stringify(schema.$schema)}, which is not supported. Use ${names}, or leave it out.`;
  }
  const mixed = draftProblem(schema, place);
  if (mixed !== undefined) return mixed;
  return ajv.validateSchema(schema) ? unusable(schema, ajv) : invalid(schema, ajv.errors);
}

function invalid(schema, [{ instancePath, params, message }]) {
  const found = `has ${JSON.stringify(valueAt(schema, instancePath))} at ${place(instancePath)}`;
  const { allowedValues } = params;
  if (allowedValues === undefined) return `${found}, which ${message}.`;
  return `${found}. Allowed: ${allowedValues.map((value) => JSON.stringify(value)).join(", ")}.`;
}

/** They refer to a schema by a name of its own, which the code generated from it does not know. */
const referencesByName = new Set(["$anchor", "$dynamicAnchor", "$dynamicRef", "$recursiveAnchor", "$recursiveRef"]);

/** Keywords that ajv adds to JSON Schema. Models and other hosts do not know them. */
const addedByAjv = new Set(["nullable", "$async"]);

/** What no meta-schema notices: a keyword that is most likely misspelt, a reference to nothing, a pattern that is not one. */
function unusable(root, ajv) {
  for (const { schema, pointer } of schemasIn(root)) {
    const byName = Object.keys(schema).find((keyword) => referencesByName.has(keyword));
    if (byName !== undefined)
      return `has ${JSON.stringify(byName)} at ${place(pointer)}, which is not supported. Refer to a schema by its place: {"$ref": "#/$defs/NAME"}.`;
    const isKnown = (keyword) => ajv.RULES.keywords[keyword] && !addedByAjv.has(keyword);
    const unknown = Object.keys(schema).find((keyword) => !isKnown(keyword) && !keyword.startsWith("x-"));
    if (unknown === "nullable")
      return `has "nullable" at ${place(pointer)}, which is a keyword of OpenAPI, not of JSON Schema. Instead, name null among the types: "type": ${typesWithNull(schema)}.`;
    if (unknown !== undefined)
      return `has ${JSON.stringify(unknown)} at ${place(pointer)}, which is not a keyword of JSON Schema. Correct it, or begin it with x- if it is a note of your own.`;
    if (/^#(\/|$)/.test(schema.$ref) && valueAt(root, decodeURIComponent(schema.$ref.slice(1))) === undefined)
      return refersToNothing(schema.$ref);
    const reason = patternProblem(schema.pattern);
    if (reason !== undefined) return `has a pattern at ${place(pointer)} that is not a regular expression: ${reason}.`;
  }
  return undefined;
}

function typesWithNull({ type = "string" }) {
  return JSON.stringify([...new Set([type, "null"].flat())]).replaceAll(",", ", ");
}

function patternProblem(pattern = "") {
  try {
    new RegExp(pattern, "u");
    return undefined;
  } catch (error) {
    return error.message;
  }
}

/** Where a default is filled in for certain: in the properties of an object that is always checked. */
const filled =
  /^(?:\/(?:properties|patternProperties)\/[^/]*|\/items|\/additionalProperties|\/allOf\/\d+)*\/properties\/[^/]*$/;

/**
 * Says which parameter is required although its `default` is filled in wherever it is missing, or which `default` would not be
 * filled in, although the type of `run`'s arguments says so.
 */
export function parameterDefaultProblem(parameters) {
  for (const { schema, pointer } of schemasIn(parameters)) {
    const named = schema.required?.find((name) => schema.properties?.[name]?.default !== undefined);
    if (named !== undefined)
      return `requires ${JSON.stringify(named)} at ${place(pointer)}, which has a default. Remove one of them.`;
    if (schema.default !== undefined && !filled.test(pointer))
      return `has a default at ${place(pointer)}, which would not always be filled in: only one in the properties of an object is, and not behind anyOf, oneOf, if, not, contains or $ref. Tell the model in the description, and use it in run.`;
  }
  return undefined;
}

/** Says which `default` its own schema does not allow. */
function wrongDefault(root) {
  const ajv = ajvFor(root, { useDefaults: true }).addSchema(root, "root");
  for (const { schema, pointer } of schemasIn(root)) {
    if (schema.default === undefined) continue;
    const path = pointer.split("/").map(encodeURIComponent).join("/");
    const check = ajv.compile({ $ref: `root#${path}` });
    if (check(structuredClone(schema.default))) continue;
    const [{ instancePath, message }] = check.errors;
    return `has a default at ${place(pointer)} that it does not allow: ${instancePath.slice(1).replaceAll("/", ".") || "it"} ${message}.`;
  }
  return undefined;
}

function place(pointer) {
  return pointer || "its top level";
}

function refersToNothing(ref) {
  return `has the $ref ${JSON.stringify(ref)}, which leads to nothing. Point it to a schema in the same one: "#/$defs/…".`;
}

function reasonOf(error) {
  if (error instanceof MissingRefError) return refersToNothing(error.missingRef);
  return `cannot be used: ${error.message}.`;
}
