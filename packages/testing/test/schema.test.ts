import type { JsonObject, JsonValue } from "@ikigai/protocol";
import { schemaProblem } from "@ikigai/system/json-schema";
import { expect, test } from "vitest";
import { extensionProblems, isWorthAnotherRun } from "../src/checks/schema-checks.ts";
import { sampleArguments } from "../src/run/sample-arguments.ts";

test.each<[JsonValue, RegExp]>([
  [7, /Expected "parameters" to be a JSON Schema, got 7/],
  [{ type: "text" }, /"parameters.type" to be one of array.*got "text"/],
  [{ type: [] }, /parameters.type/],
  [{ properties: [] }, /"parameters.properties" to be an object/],
  [{ properties: { a: "string" } }, /"parameters.properties.a" to be a JSON Schema, got "string"/],
  [
    { properties: { a: { type: "string", required: true } } },
    /"parameters.properties.a.required" to be an array, got true/,
  ],
  [{ properties: { a: { enum: [] } } }, /enum must have non-empty array/],
  [{ properties: { a: { items: [{}, 1] } } }, /a.items" to be a JSON Schema/],
  [{ properties: { a: { anyOf: {} } } }, /a.anyOf" to be an array/],
  [{ properties: { a: { pattern: "(" } } }, /Invalid regular expression/],
  [{ properties: { a: { description: 1 } } }, /a.description" to be a string/],
  [{ properties: { a: { minimum: "1" } } }, /a number/],
  [{ properties: { a: { maxLength: -1 } } }, /a.maxLength" to be >= 0, got -1/],
  [{ properties: { a: { $ref: "#/$defs/b" } } }, /can't resolve reference #\/\$defs\/b/],
  [{ properties: { a: { anyOf: [{ type: "string" }, { type: "text" }] } } }, /a.anyOf\[1\].type/],
  [{ properties: { a: { additionalProperties: { type: "x" } } } }, /additionalProperties.type/],
])("finds what is wrong with the schema %j", (schema, problem) => {
  expect(schemaProblem(schema, "parameters")).toMatch(problem);
});

test.each<JsonValue>([
  true,
  {},
  { type: "object", properties: {}, additionalProperties: false },
  { type: ["string", "null"], "x-vendor": 1, default: null, examples: [] },
  { items: [{}, { type: "string" }] },
  { $defs: { node: { properties: { next: { $ref: "#/$defs/node" } } } }, required: ["anything"] },
])("takes %j for a schema", (schema) => {
  expect(schemaProblem(schema, "parameters")).toBeUndefined();
});

test("rejects a schema that is nested too deep", () => {
  const text = `${'{"not":'.repeat(1_000)}{}${"}".repeat(1_000)}`;
  expect(schemaProblem(JSON.parse(text), "parameters")).toBe('"parameters" is nested deeper than 64 levels.');
});

test.each([
  ["https://json-schema.org/draft/2020-12/schema", { prefixItems: [{ type: "text" }] }, /prefixItems/],
  ["http://json-schema.org/draft-07/schema#", { prefixItems: [{ type: "text" }] }, undefined],
  ["http://json-schema.org/draft-07/schema#", { items: [{ type: "text" }] }, /items\[0\]/],
])("reads a schema by the draft that it names, %s: %j", (draft, keywords, problem) => {
  const found = schemaProblem({ $schema: draft, ...keywords }, "parameters");
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});

const parameters = { type: "object", properties: { limit: { type: "integer" }, text: { type: "string" } } };

test.each<[JsonObject, RegExp | undefined]>([
  [{ name: "x", inputSchema: {}, returns: {}, title: "X", _meta: {} }, undefined],
  [
    { ikigai: { version: "1", timeoutMs: 600_000, timeoutArgument: "limit", needs: { env: ["A"] }, prestart: false } },
    undefined,
  ],
  [{ ikigai: { access: { kind: "read-file", path: "text" } } }, undefined],
  [
    { ikigai: { access: { kind: "read-file", path: "none" } } },
    /"ikigai\.access\.path" to be the name of a parameter, got "none"\.$/,
  ],
  [{ ikigai: { access: { kind: "read-file" } } }, /"ikigai\.access" lacks "path"/],
  [
    { ikigai: { access: { kind: "search-files", path: "text" } } },
    /^"ikigai\.access" lacks "pattern": kind "search-files" needs the name of the parameter with the pattern\.$/,
  ],
  [{ ikigai: { access: { kind: "list-files", path: "text" } } }, undefined],
  [{ ikigai: { access: { path: "text" } } }, /"ikigai\.access\.kind" to be one of read-file, .*, got nothing\.$/],
  [{ ikigai: { access: "read-file" } }, /"ikigai\.access" to be an object, got "read-file"/],
  [{ ikigai: { access: { kind: "toString", path: "text" } } }, /to be one of read-file, .*, got "toString"\.$/],
  [{ descripton: "x" }, /"descripton" is unknown; perhaps you mean "description"/],
  [{ timeoutMs: 1 }, /"timeoutMs" is unknown; it belongs in "ikigai"/],
  [{ colour: "x" }, /^"colour" is unknown\.$/],
  [{ annotations: { readonlyHint: true } }, /"annotations.readonlyHint" is unknown; perhaps you mean "readOnlyHint"/],
  [{ annotations: { readOnlyHint: "yes" } }, /to be true or false, got "yes"/],
  [{ annotations: { readonly: true } }, /"annotations.readonly" is unknown; perhaps you mean "readOnlyHint"/],
  [{ ikigai: { max_output_bytes: 1 } }, /perhaps you mean "maxOutputBytes"/],
  [{ ikigai: { constructor: 1 } }, /"ikigai.constructor" is unknown/],
  [{ ikigai: { perstart: true } }, /perhaps you mean "prestart"/],
  [{ ikigai: { serves: 1 } }, /"ikigai.serves" to be true or false, got 1/],
  [{ ikigai: { service: "a/b" } }, /"ikigai.service" to be a name of letters/],
  [{ ikigai: { varies: "pid" } }, /"ikigai.varies" to be a list of fields/],
  [
    { ikigai: { host: "ask" } },
    /"ikigai.host" to be a list of methods of the host \(ask, permission, show, job\), got "ask"/,
  ],
  [{ ikigai: { host: ["ask", "draw"] } }, /"ikigai.host" to be a list of methods/],
  [{ ikigai: { state: 1 } }, /"ikigai.state" to be true or false/],
  [{ ikigai: { timeoutMs: 600_001 } }, /an integer from 1 to 600000, got 600001/],
  [{ ikigai: { timeoutMs: "30s" } }, /an integer from 1 to 600000, got "30s"/],
  [{ ikigai: { timeoutArgument: "text" } }, /a parameter that is a number/],
  [{ ikigai: { env: ["KEY"] } }, /^"ikigai\.env" is unknown; it belongs in "ikigai\.needs"\.$/],
  [{ ikigai: { agent: true, serves: true } }, /^"ikigai\.agent" never works with "ikigai\.serves": [^\n]*\.$/],
  [{ ikigai: { agent: true, service: "x" } }, /^"ikigai\.agent" never works with "ikigai\.service"/],
  [{ ikigai: { host: ["ask"], service: "x" } }, /^"ikigai\.host" never works with "ikigai\.service"/],
  [{ ikigai: { agent: true, serves: false, host: ["ask"] } }, undefined],
  [{ ikigai: { agent: false, service: "x" } }, undefined],
  [{ ikigai: { serves: true, host: ["ask"] } }, undefined],
  [{ ikigai: [] }, /"ikigai" to be an object/],
  [
    { bogus: 1, annotations: { readOnlyHint: "yes" }, ikigai: { foo: 1, bar: 2, timeoutMs: "x" } },
    /^"bogus" is unknown\.\nExpected "annotations\.readOnlyHint" .*, got "yes"\.\n"ikigai\.foo" is unknown\.\n"ikigai\.bar" is unknown\.\nExpected "ikigai\.timeoutMs" .*, got "x"\.$/,
  ],
  [
    { ikigai: { access: { kind: "search-files", path: "none" } } },
    /^Expected "ikigai\.access\.path" .*, got "none"\.\n"ikigai\.access" lacks "pattern": .*\.$/,
  ],
])("judges the keys of %j", (keys, problem) => {
  const found = extensionProblems({ ...keys, parameters });
  if (problem === undefined) expect(found).toBeUndefined();
  else expect(found).toMatch(problem);
});

test("generates arguments from a schema", () => {
  const properties = {
    a: { type: "string" },
    b: { enum: ["x", "y"] },
    c: { type: "integer", minimum: 5 },
    d: { type: "array" },
    e: { type: "object", required: ["f"], properties: { f: { type: "boolean" } } },
    g: { type: "number", default: 0 },
  };
  expect(sampleArguments({ parameters: { type: "object", required: Object.keys(properties), properties } })).toEqual({
    a: "sample",
    b: "x",
    c: 5,
    d: [],
    e: { f: false },
    g: 0,
  });
});

test.each([
  ["met the limit", { count: 1, fastestMs: 1_000, totalMs: 1_000 }, 0, false],
  ["nearly met it", { count: 4, fastestMs: 1_001, totalMs: 8_000 }, 1, true],
  ["nearly met it five times", { count: 5, fastestMs: 1_001, totalMs: 8_000 }, 1, false],
  ["nearly met it on a busy machine", { count: 19, fastestMs: 1_001, totalMs: 29_999 }, 2, true],
  ["nearly met it twenty times", { count: 20, fastestMs: 1_001, totalMs: 29_999 }, 2, false],
  ["took half a minute in total", { count: 6, fastestMs: 1_001, totalMs: 30_000 }, 2, false],
  ["took three seconds twice", { count: 2, fastestMs: 3_000, totalMs: 6_000 }, 0, true],
  ["took three seconds three times", { count: 3, fastestMs: 3_000, totalMs: 9_000 }, 0, false],
  ["took as long as the load explains", { count: 3, fastestMs: 3_000, totalMs: 9_000 }, 1.5, true],
  ["took longer than the load explains", { count: 3, fastestMs: 3_001, totalMs: 9_003 }, 1.5, false],
])("runs --schema again if it could meet the limit: one that %s", (_, runs, load, isWorth) => {
  expect(isWorthAnotherRun(runs, load)).toBe(isWorth);
});
