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

/** Keywords of draft 7 that have another name in draft 2020-12, with what to write there. */
const older = new Map([
  ["items", '"prefixItems"'],
  ["additionalItems", '"items" beside "prefixItems"'],
  ["dependencies", '"dependentRequired" or "dependentSchemas"'],
]);

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
  const Dialect = schema.$schema === undefined ? usedIn(schema) : namedBy(schema);
  // 0.3 / 0.1 is 2.9999999999999996, which is 3 to this many digits: as a multiple of 0.1, 0.3 is one.
  const precision = hasFractions(schema) ? { multipleOfPrecision: 6 } : {};
  return Dialect && new Dialect({ ...always, ...precision, ...options });
}

function hasFractions(schema) {
  return [...schemasIn(schema)].some(({ schema: { multipleOf = 1 } }) => !Number.isInteger(multipleOf));
}

function usedIn(schema) {
  const { newest, oldest } = keywordsOfDrafts(schema);
  return newest && !oldest ? Ajv2020 : Ajv;
}

function namedBy({ $schema }) {
  return dialects.get(String($schema).replace(/#$/, ""));
}

/** The first keyword of draft 2020-12 and the first of draft 7, each with the JSON Pointer to its schema. */
function keywordsOfDrafts(root) {
  let newest;
  let oldest;
  for (const { schema, pointer } of schemasIn(root)) {
    for (const [keyword, value] of Object.entries(schema)) {
      if (newer.includes(keyword)) newest ??= { keyword, pointer };
      if (older.has(keyword) && (keyword !== "items" || Array.isArray(value))) oldest ??= { keyword, pointer };
    }
  }
  return { newest, oldest };
}

/**
 * Says which keyword is not of the draft that `$schema` names or, without it, that another keyword needs.
 *
 * @param place says where a JSON Pointer leads to.
 */
export function draftProblem(root, place) {
  const { newest, oldest } = keywordsOfDrafts(root);
  const found = newest && `has "${newest.keyword}" at ${place(newest.pointer)}, a keyword of draft 2020-12`;
  const named = namedBy(root);
  if (found && named === Ajv) return `${found}, but its $schema names draft 7. Use one draft.`;
  if (!oldest) return undefined;
  const name = `"${oldest.keyword}"${oldest.keyword === "items" ? " as an array" : ""}`;
  const at = `at ${place(oldest.pointer)}`;
  const advice = `Use one draft. In 2020-12, ${name} is ${older.get(oldest.keyword)}.`;
  if (found && named === undefined) return `${found}, but ${name} ${at} is of draft 7. ${advice}`;
  // Draft 2020-12 tolerates "dependencies".
  if (named !== Ajv2020 || oldest.keyword === "dependencies") return undefined;
  return `has ${name} ${at}, which is of draft 7, but its $schema names draft 2020-12. ${advice}`;
}
