// Says what is wrong with a tool's schema.
import { Ajv } from "ajv";

/** A schema that cannot be compiled. The message is for the tool's author. */
export class SchemaProblem extends Error {}

/**
 * Compiles one of a tool's schemas.
 *
 * @throws SchemaProblem if it is not a valid schema, or `compile` fails.
 */
export function compiledOf(name, schema, compile) {
  const refuse = (reason) => {
    throw new SchemaProblem(`src/schema.ts: "${name}" ${reason}`);
  };
  try {
    const problem = problemOf(schema);
    return problem === undefined ? compile(schema) : refuse(problem);
  } catch (error) {
    if (error instanceof SchemaProblem) throw error;
    refuse(`cannot be used: ${error.message.replace(/^strict mode: /, "")}.`);
  }
}

function problemOf(schema) {
  const ajv = new Ajv({ validateFormats: false, logger: false });
  if (ajv.validateSchema(schema)) return undefined;
  const [{ instancePath, params, message }] = ajv.errors;
  const found = `has ${JSON.stringify(valueAt(schema, instancePath))} at ${instancePath || "its top level"}`;
  const { allowedValues } = params;
  if (allowedValues === undefined) return `${found}, which ${message}.`;
  return `${found}. Allowed: ${allowedValues.map((value) => JSON.stringify(value)).join(", ")}.`;
}

function valueAt(schema, pointer) {
  const keys = pointer.split("/").slice(1);
  return keys.reduce((value, key) => value?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], schema);
}
