// JSON Schema by ajv: what is wrong with a schema, and where a value does not fit it. An entry of its own, since ajv takes long to load.

import {
  isJsonObject,
  isTooDeep,
  type JsonObject,
  type JsonValue,
  maxSchemaDepth,
  textStart,
  unescapePointer,
} from "@ikigai/protocol";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

/** Unknown keywords and formats are valid, as in JSON Schema. */
const options = { strict: false, validateFormats: false, logger: false } as const;

/**
 * Describes the first error that makes a value an invalid JSON Schema, with its place.
 *
 * The draft is the one in `$schema`, otherwise 2020-12 or 7: tools use both.
 */
export function schemaProblem(schema: JsonValue, path: string): string | undefined {
  if (isTooDeep(schema)) return tooDeep(path);
  const ajvs =
    isJsonObject(schema) && typeof schema.$schema === "string" ? [drafted(schema.$schema)] : [newest(), draft7()];
  const problems = ajvs.map((ajv) => problemIn(ajv, schema, path));
  return problems.includes(undefined) ? undefined : problems[0];
}

/** Describes the first violation of a JSON Schema by a value; `undefined` also if the schema is invalid. */
export function valueProblem(schema: JsonObject, value: JsonValue, path: string): string | undefined {
  const compiled = compileSchema(schema, path);
  return "problem" in compiled ? undefined : compiled.check(value, path);
}

/** Describes the first violation by a value, with its place; `undefined` if the value fits. */
type SchemaCheck = (value: JsonValue, path: string) => string | undefined;

/** Compiles a JSON Schema of the draft in `$schema`, by default 2020-12; says what is wrong with an invalid one. */
export function compileSchema(
  schema: JsonValue,
  path: string,
): { readonly check: SchemaCheck } | { readonly problem: string } {
  if (isTooDeep(schema)) return { problem: tooDeep(path) };
  const ajv = isJsonObject(schema) && typeof schema.$schema === "string" ? drafted(schema.$schema) : newest();
  const problem = problemIn(ajv, schema, path);
  if (problem !== undefined) return { problem };
  const isValid = compile(ajv, schema);
  return {
    check(value, place) {
      try {
        return isValid(value) ? undefined : describe(isValid.errors, value, place);
      } catch (error) {
        // A schema that refers to itself exhausts the stack.
        return `"${place}" cannot be checked: ${(error as Error).message}.`;
      }
    },
  };
}

function tooDeep(path: string): string {
  return `"${path}" is nested deeper than ${maxSchemaDepth} levels.`;
}

const newest = (): Ajv => withFractions(new Ajv2020(options));
const draft7 = (): Ajv => withFractions(new Ajv(options));

/** Fractions are rounded: 0.3 / 0.1 is 2.9999999999999996, but 0.3 is a multiple of 0.1. */
function withFractions(ajv: Ajv): Ajv {
  return ajv.removeKeyword("multipleOf").addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    error: { message: ({ schema }) => `must be multiple of ${schema}` },
    validate(step: number, value: number) {
      const count = value / step;
      return Math.abs(count - Math.round(count)) <= 2 * Number.EPSILON * Math.abs(count);
    },
  });
}

function drafted(name: string): Ajv {
  return /\/20\d\d-\d\d\//.test(name) ? newest() : draft7();
}

function problemIn(ajv: Ajv, schema: JsonValue, path: string): string | undefined {
  const metaSchema = ajv.defaultMeta();
  if (typeof schema !== "boolean" && !isJsonObject(schema)) return unexpected(path, "to be a JSON Schema", schema);
  if (metaSchema && !ajv.validate(metaSchema, schema)) return describe(ajv.errors, schema, path);
  try {
    // Finds invalid patterns and references.
    compile(ajv, schema);
    return undefined;
  } catch (error) {
    return `"${path}" is not a usable JSON Schema: ${(error as Error).message}.`;
  }
}

/** Leaves out `$schema`, which is already evaluated, and `$async`, ajv's own: a check would return a promise. */
function compile(ajv: Ajv, schema: JsonValue): ValidateFunction {
  if (!isJsonObject(schema)) return ajv.compile(schema === true);
  const { $schema: _, $async: __, ...rest } = schema;
  return ajv.compile(rest);
}

/** The deepest of several errors: that is where the author's mistake is. */
function describe(errors: readonly ErrorObject[] | null | undefined, root: JsonValue, path: string): string {
  const depth = ({ instancePath }: ErrorObject) => instancePath.split("/").length;
  const deepest = Math.max(...(errors ?? []).map(depth));
  const error = errors?.find((candidate) => depth(candidate) === deepest);
  const keys = (error?.instancePath ?? "").split("/").slice(1).map(unescapePointer);
  const place = [path, ...keys].join(".").replaceAll(/\.(\d+)(?=\.|$)/g, "[$1]");
  const value = keys.reduce<JsonValue | undefined>((parent, key) => childOf(parent, key), root);
  const allowed = error?.params.allowedValues as readonly JsonValue[] | undefined;
  return unexpected(place, allowed ? `to be one of ${allowed.join(", ")}` : wording(error), value);
}

function wording(error: ErrorObject | undefined): string {
  const message = error?.message ?? "must be valid";
  const type = /^must be ([a-z]+)(?:,boolean)?$/.exec(message)?.[1];
  if (message === "must be object,boolean") return "to be a JSON Schema";
  return type === undefined ? message.replace(/^must /, "to ") : `to be ${/^[aeio]/.test(type) ? "an" : "a"} ${type}`;
}

function childOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(key)];
  return isJsonObject(value) ? value[key] : undefined;
}

function unexpected(path: string, expectation: string, value: JsonValue | undefined): string {
  const text = JSON.stringify(value) ?? "nothing";
  return `Expected "${path}" ${expectation}, got ${text.length > 60 ? `${textStart(text, 60)}…` : text}.`;
}
