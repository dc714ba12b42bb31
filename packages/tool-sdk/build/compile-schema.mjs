// Compiles a tool's schema to code: an argument check (ajv) and a serializer (fast-json-stringify), both without `new Function`.
// Below: what is wrong with a schema, the draft that it is written in, and the schemas inside it.

import { _, Ajv, MissingRefError } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import { build } from "esbuild";
import fastJson from "fast-json-stringify";

/**
 * The source of the module `ikigai:compiled` for the tool whose `schema.ts` exports `parameters` and `output`.
 *
 * @throws SchemaProblem if one of the two is missing or cannot be compiled.
 */
export async function compileSchema(schemaFile, version) {
  const { parameters, output } = await load(schemaFile);
  if (!parameters || !output) throw new SchemaProblem(`Expected ${schemaFile} to export "parameters" and "output".`);
  return [
    `export const compiled = { version: ${JSON.stringify(version)}, check: check(), serialize: serialize() };`,
    asFunction("check", compiledOf("parameters", parameters, argumentCheck, parameterDefaultProblem)),
    asFunction("serialize", `${strictNumbers}${compiledOf("output", output, serializer)}`),
  ].join("\n");
}

async function load(schemaFile) {
  const { outputFiles } = await build({
    entryPoints: [schemaFile],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "silent",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** Checks arguments, and fills in what the schema gives as their `default`. */
function argumentCheck(parameters) {
  const isOpen = ([keyword, value]) => value !== false || !/^(additional|unevaluated)Properties$/.test(keyword);
  // A tool ignores unknown arguments, so none refuses them.
  const open = Object.fromEntries(Object.entries(parameters).filter(isOpen));
  const ajv = ajvFor(parameters, { code: { source: true }, messages: false, useDefaults: true });
  return standaloneCode.default(ajv, ajv.compile(open));
}

/** Draft 7 for whatever it says: fast-json-stringify has no other, and ignores the keywords that only check. */
function serializer({ $schema, ...output }) {
  return fastJson(output, { mode: "standalone", ajv: { strict: false } });
}

/** fast-json-stringify would write 1.5 as the integer 1, `null` as 0, and Infinity as `null`. */
const strictNumbers = `const { prototype: numbers } = require("fast-json-stringify/lib/serializer");
numbers.asInteger = (value) => {
  if (Number.isInteger(value) || typeof value === "bigint") return String(value);
  throw new TypeError(\`Expected an integer, got \${value} (\${typeof value}).\`);
};
const asNumber = numbers.asNumber;
numbers.asNumber = function (value) {
  if (value === Infinity || value === -Infinity) throw new TypeError(\`Expected a finite number, got \${value}.\`);
  return asNumber.call(this, value);
};
`;

/** Both generators write CommonJS; wrapped in a function, several fit in one module. */
function asFunction(name, commonJs) {
  return `function ${name}() { const module = { exports: {} }; const exports = module.exports;\n${commonJs}\nreturn module.exports; }`;
}

// Says what is wrong with a tool's schema.

/** A schema that cannot be compiled. The message is for the tool's author. */
export class SchemaProblem extends Error {}

/**
 * Compiles one of a tool's schemas.
 *
 * @param otherProblem says what else is wrong with a valid schema.
 * @throws SchemaProblem if it is not a valid schema, or `compile` fails.
 */
function compiledOf(name, schema, compile, otherProblem = () => undefined) {
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
function parameterDefaultProblem(parameters) {
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

// Which JSON Schema a tool's schema is written in, and the ajv that knows it.

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
const dialectNames = [...dialects.keys()];

/**
 * An ajv for a schema, which allows whatever the dialect allows; `undefined` if `$schema` names no known dialect. Draft 7
 * unless the schema says otherwise or has keywords of 2020-12: its code is a little shorter.
 */
function ajvFor(schema, options) {
  const Dialect = schema.$schema === undefined ? usedIn(schema) : namedBy(schema);
  return Dialect && new Dialect({ ...always, ...options }).removeKeyword("multipleOf").addKeyword(multipleOf);
}

/** Fractions are rounded: 0.3 / 0.1 is 2.9999999999999996, but 0.3 is a multiple of 0.1. */
const multipleOf = {
  keyword: "multipleOf",
  type: "number",
  schemaType: "number",
  error: { params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
  code(check) {
    const count = check.gen.const("count", _`${check.data} / ${check.schemaCode}`);
    check.fail(_`!(Math.abs(${count} - Math.round(${count})) <= 2 * Number.EPSILON * Math.abs(${count}))`);
  },
};

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
function draftProblem(root, place) {
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

// Walks through a schema.

/** The keywords whose value is a schema, a list of schemas (or, for some, a schema), and an object of schemas. */
const single = ["additionalItems", "additionalProperties", "contains", "else", "if", "not", "propertyNames", "then"];
const listed = ["allOf", "anyOf", "items", "oneOf", "prefixItems", "unevaluatedItems", "unevaluatedProperties"];
const named = ["$defs", "definitions", "dependentSchemas", "dependencies", "patternProperties", "properties"];

/** The schema and all schemas inside it, each with its JSON Pointer. */
function* schemasIn(schema, pointer = "") {
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) return;
  yield { schema, pointer };
  for (const [keyword, value] of Object.entries(schema)) {
    const inner = `${pointer}/${escaped(keyword)}`;
    if (listed.includes(keyword) && Array.isArray(value)) {
      for (const [index, one] of value.entries()) yield* schemasIn(one, `${inner}/${index}`);
    } else if (single.includes(keyword) || listed.includes(keyword)) yield* schemasIn(value, inner);
    else if (named.includes(keyword)) {
      for (const [name, one] of Object.entries(value ?? {})) yield* schemasIn(one, `${inner}/${escaped(name)}`);
    }
  }
}

function escaped(key) {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** The value at a JSON Pointer. */
function valueAt(schema, pointer) {
  const keys = pointer.split("/").slice(1);
  return keys.reduce((value, key) => value?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], schema);
}
