// Says what is wrong with a tool's schema.
import { MissingRefError } from "ajv";
import { ajvFor, dialectNames } from "./dialect.mjs";
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
    const problem = problemOf(schema) ?? otherProblem(schema);
    return problem === undefined ? compile(schema) : refuse(problem);
  } catch (error) {
    if (error instanceof SchemaProblem) throw error;
    refuse(reasonOf(error));
  }
}

function problemOf(schema) {
  const ajv = ajvFor(schema);
  if (!ajv) {
    const names = dialectNames.map((name) => JSON.stringify(name)).join(" or ");
    return `has the $schema ${JSON.stringify(schema.$schema)}, which is not supported. Use ${names}, or leave it out.`;
  }
  return ajv.validateSchema(schema) ? unusable(schema, ajv) : invalid(schema, ajv.errors);
}

function invalid(schema, [{ instancePath, params, message }]) {
  const found = `has ${JSON.stringify(valueAt(schema, instancePath))} at ${place(instancePath)}`;
  const { allowedValues } = params;
  if (allowedValues === undefined) return `${found}, which ${message}.`;
  return `${found}. Allowed: ${allowedValues.map((value) => JSON.stringify(value)).join(", ")}.`;
}

/** What no meta-schema notices: a keyword that is most likely misspelt, a reference to nothing, a pattern that is not one. */
function unusable(root, ajv) {
  for (const { schema, pointer } of schemasIn(root)) {
    const unknown = Object.keys(schema).find((keyword) => !ajv.RULES.keywords[keyword] && !keyword.startsWith("x-"));
    if (unknown !== undefined)
      return `has ${JSON.stringify(unknown)} at ${place(pointer)}, which is not a keyword of JSON Schema. Correct it, or begin it with x- if it is a note of your own.`;
    if (/^#(\/|$)/.test(schema.$ref) && valueAt(root, decodeURIComponent(schema.$ref.slice(1))) === undefined)
      return refersToNothing(schema.$ref);
    const reason = patternProblem(schema.pattern);
    if (reason !== undefined) return `has a pattern at ${place(pointer)} that is not a regular expression: ${reason}.`;
  }
  return undefined;
}

function patternProblem(pattern = "") {
  try {
    new RegExp(pattern, "u");
    return undefined;
  } catch (error) {
    return error.message;
  }
}

/**
 * Says which `default` of a parameter would not be filled in, although the type of `run`'s arguments says so, or does not fit.
 */
export function problemOfDefaults(parameters) {
  for (const { schema, pointer, isFilled } of schemasIn(parameters)) {
    if (!isFilled && schema.default !== undefined)
      return `has a default at ${place(pointer)}, which is not filled in: only one that is written in a property itself is, outside anyOf and oneOf, where it depends on the argument which schema counts. Tell the model in the description, and use it in run.`;
  }
  const check = ajvFor(parameters, { allErrors: true, useDefaults: true }).compile(parameters);
  check({});
  // Nothing but defaults was there to be checked.
  const wrong = check.errors?.find(({ instancePath }) => instancePath !== "");
  return wrong && `has a default for ${place(wrong.instancePath)} that it does not allow: it ${wrong.message}.`;
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
