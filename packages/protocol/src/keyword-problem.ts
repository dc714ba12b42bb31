// What is wrong with the keywords of a schema: each must have the kind of value that JSON Schema gives it.

import { isJsonObject, type JsonObject, type JsonValue, textStart } from "./json.ts";

/** What the value of a keyword must be: in words, as a test, and which of its parts are schemas themselves. */
interface Kind {
  readonly words: string;
  readonly fits: (value: JsonValue) => boolean;
  /** The schemas in it, by what follows the keyword in their place. */
  readonly schemasIn?: (value: JsonValue) => readonly Part[];
}

type Part = readonly [place: string, schema: JsonValue];

const isNumber = (value: JsonValue) => typeof value === "number";
const isNameList = (value: JsonValue) =>
  Array.isArray(value) && value.every((name) => typeof name === "string") && new Set(value).size === value.length;

const typeNames: readonly JsonValue[] = ["array", "boolean", "integer", "null", "number", "object", "string"];

const string: Kind = { words: "a string", fits: (value) => typeof value === "string" };
const flag: Kind = { words: "true or false", fits: (value) => typeof value === "boolean" };
const number: Kind = { words: "a number", fits: isNumber };
const count: Kind = { words: "an integer from 0", fits: (value) => Number.isInteger(value) && Number(value) >= 0 };
const list: Kind = { words: "a list", fits: Array.isArray };
const names: Kind = { words: "a list of different names", fits: isNameList };

const schema: Kind = { words: "a JSON Schema", fits: () => true, schemasIn: (value) => [["", value]] };
const schemas: Kind = {
  words: "a list of at least one JSON Schema",
  fits: (value) => Array.isArray(value) && value.length > 0,
  schemasIn: (value) => (Array.isArray(value) ? value.map((part, index): Part => [`[${index}]`, part]) : []),
};
const map: Kind = {
  words: "an object of JSON Schemas",
  fits: isJsonObject,
  schemasIn: (value) =>
    isJsonObject(value) ? Object.entries(value).map(([key, part]): Part => [`.${key}`, part]) : [],
};

/** The keywords of drafts 2020-12 and 7, as their meta-schemas have them. An `enum` without values fits nothing. */
const kinds: ReadonlyMap<string, Kind> = new Map(
  Object.entries({
    type: {
      words: `one of ${typeNames.join(", ")}, or a list of them`,
      fits: (value) => typeNames.includes(value) || (isNameList(value) && isFilled(value) && areTypes(value)),
    },
    properties: map,
    patternProperties: map,
    dependentSchemas: map,
    $defs: map,
    definitions: map,
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    prefixItems: schemas,
    // A list in draft 7.
    items: {
      words: "a JSON Schema, or a list of them",
      fits: (value) => !Array.isArray(value) || value.length > 0,
      schemasIn: (value) => (Array.isArray(value) ? schemas : schema).schemasIn?.(value) ?? [],
    },
    additionalItems: schema,
    additionalProperties: schema,
    unevaluatedItems: schema,
    unevaluatedProperties: schema,
    contains: schema,
    propertyNames: schema,
    not: schema,
    if: schema,
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
    then: schema,
    else: schema,
    required: names,
    enum: { words: "a list of at least one value", fits: isFilled },
    examples: list,
    minimum: number,
    maximum: number,
    exclusiveMinimum: number,
    exclusiveMaximum: number,
    multipleOf: { words: "a number above 0", fits: (value) => typeof value === "number" && value > 0 },
    minLength: count,
    maxLength: count,
    minItems: count,
    maxItems: count,
    minContains: count,
    maxContains: count,
    minProperties: count,
    maxProperties: count,
    uniqueItems: flag,
    readOnly: flag,
    writeOnly: flag,
    deprecated: flag,
    title: string,
    description: string,
    format: string,
    pattern: string,
    contentEncoding: string,
    contentMediaType: string,
    $comment: string,
    $ref: string,
    $id: string,
    $schema: string,
  } satisfies Record<string, Kind>),
);

function isFilled(value: JsonValue): boolean {
  return Array.isArray(value) && value.length > 0;
}

function areTypes(value: JsonValue): boolean {
  return Array.isArray(value) && value.every((name) => typeNames.includes(name));
}

/**
 * Describes the first value in a JSON Schema that no draft allows: the end of a sentence, with its place; `undefined` if all are allowed.
 *
 * Model providers reject such a schema, and with it every request that has the tool. Keywords that it does not know can have any value;
 * the syntax of a `pattern` is not checked, since providers differ in it. The schema must not be nested too deep (`isTooDeep`).
 */
export function keywordProblem(root: JsonObject): string | undefined {
  return problemAt("", root);
}

function problemAt(place: string, value: JsonValue): string | undefined {
  if (typeof value === "boolean") return undefined;
  if (!isJsonObject(value)) return unexpected(place, schema.words, value);
  for (const [keyword, entry] of Object.entries(value)) {
    const problem = keywordProblemAt(place === "" ? keyword : `${place}.${keyword}`, kinds.get(keyword), entry);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function keywordProblemAt(place: string, kind: Kind | undefined, value: JsonValue): string | undefined {
  if (kind === undefined) return undefined;
  if (!kind.fits(value)) return unexpected(place, kind.words, value);
  for (const [key, part] of kind.schemasIn?.(value) ?? []) {
    const problem = problemAt(`${place}${key}`, part);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** How much of a value is quoted, in characters. */
const maxQuotedLength = 60;

function unexpected(place: string, words: string, value: JsonValue): string {
  const text = JSON.stringify(value);
  const quoted = text.length > maxQuotedLength ? `${textStart(text, maxQuotedLength)}…` : text;
  return `expected "${place}" to be ${words}, got ${quoted}`;
}
