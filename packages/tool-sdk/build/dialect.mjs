// Which JSON Schema a tool's schema is written in, and the ajv that knows it.
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { schemasIn } from "./schemas-in.mjs";

/** Keywords that draft 2020-12 has and draft 7 does not. */
const newer = [
  "prefixItems",
  "dependentRequired",
  "dependentSchemas",
  "minContains",
  "maxContains",
  "unevaluatedItems",
  "unevaluatedProperties",
];

/** Keywords that say the same under another name in draft 2020-12. */
const older = ["dependencies", "additionalItems"];

/** The dialects that `$schema` can name. */
const dialects = new Map([
  ["https://json-schema.org/draft/2020-12/schema", Ajv2020],
  ["http://json-schema.org/draft-07/schema", Ajv],
]);

const always = {
  // A `format` tells the model more; checking it would add every format to the tool.
  validateFormats: false,
  logger: false,
  strict: false,
};

/** The names of these dialects, for a message. */
export const dialectNames = [...dialects.keys()];

/**
 * An ajv for a schema, which allows whatever the dialect allows; `undefined` if `$schema` names no known dialect. Draft 7
 * unless the schema says otherwise or has keywords of 2020-12: its code is a little shorter.
 */
export function ajvFor(schema, options) {
  const Dialect =
    schema.$schema === undefined ? usedIn(schema) : dialects.get(String(schema.$schema).replace(/#$/, ""));
  // 0.3 / 0.1 is 2.9999999999999996, which is 3 to this many digits: as a multiple of 0.1, 0.3 is one.
  const precision = hasFractions(schema) ? { multipleOfPrecision: 6 } : {};
  return Dialect && new Dialect({ ...always, ...precision, ...options });
}

function hasFractions(schema) {
  return [...schemasIn(schema)].some(({ schema: { multipleOf = 1 } }) => !Number.isInteger(multipleOf));
}

function usedIn(schema) {
  const keywords = new Set([...schemasIn(schema)].flatMap(({ schema }) => Object.keys(schema)));
  return newer.some((name) => keywords.has(name)) && !older.some((name) => keywords.has(name)) ? Ajv2020 : Ajv;
}
