import {
  isJsonObject,
  isTooDeep,
  type JsonObject,
  type JsonValue,
  maxSchemaDepth,
  textStart,
  unescapePointer,
} from "@ikigai/protocol";
import { Ajv, type ErrorObject } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";

/** Unknown keywords and formats are valid, as in JSON Schema. */
const options = { strict: false, validateFormats: false, logger: false } as const;

/**
 * Describes the first error that makes a value an invalid JSON Schema, with its place.
 *
 * The draft is the one in `$schema`, otherwise 2020-12 or 7: tools use both.
 */
export function schemaProblem(schema: JsonValue, path: string): string | undefined {
  if (isTooDeep(schema)) return `"${path}" is nested deeper than ${maxSchemaDepth} levels.`;
  const ajvs =
    isJsonObject(schema) && typeof schema.$schema === "string" ? [drafted(schema.$schema)] : [newest(), draft7()];
  const problems = ajvs.map((ajv) => problemIn(ajv, schema, path));
  return problems.includes(undefined) ? undefined : problems[0];
}

/** Describes the first violation of a JSON Schema by a value; `undefined` also if the schema is invalid. */
export function valueProblem(schema: JsonObject, value: JsonValue, path: string): string | undefined {
  const ajv = typeof schema.$schema === "string" ? drafted(schema.$schema) : newest();
  try {
    const isValid = ajv.compile(withoutName(schema));
    return isValid(value) ? undefined : describe(isValid.errors, value, path);
  } catch {
    return undefined;
  }
}

const newest = (): Ajv => new Ajv2020(options);
const draft7 = (): Ajv => new Ajv(options);

function drafted(name: string): Ajv {
  return /\/20\d\d-\d\d\//.test(name) ? newest() : draft7();
}

function problemIn(ajv: Ajv, schema: JsonValue, path: string): string | undefined {
  const metaSchema = ajv.defaultMeta();
  if (typeof schema !== "boolean" && !isJsonObject(schema)) return unexpected(path, "to be a JSON Schema", schema);
  if (metaSchema && !ajv.validate(metaSchema, schema)) return describe(ajv.errors, schema, path);
  try {
    // Finds invalid patterns and references.
    ajv.compile(withoutName(schema));
    return undefined;
  } catch (error) {
    return `"${path}" is not a usable JSON Schema: ${(error as Error).message}.`;
  }
}

/** Removes `$schema`, which is already evaluated and may name a draft that ajv has under another name. */
function withoutName(schema: JsonObject | boolean): JsonObject | boolean {
  if (typeof schema === "boolean") return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
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
