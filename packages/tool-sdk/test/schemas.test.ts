// @module-tag sampled
import { argumentsAsRead, type JsonObject } from "@ikigai/protocol";
import { call } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { buildSchemas, echoOf, invalid, refused } from "./built-schema.ts";

const level = { type: "integer", default: 3 };

/** An object with these fields. */
function fields<Properties extends object>(properties: Properties, others: object = {}) {
  return { type: "object", properties, ...others };
}

/** A schema that allows everything, to see what a tool got. */
const anything = { type: "object", properties: {}, additionalProperties: true };

describe("defaults", () => {
  const part = fields({ level, name: { type: "string" } });

  test("are filled in at every level where something is missing", async () => {
    const parameters = fields({ level, part, parts: { type: "array", items: part }, both: { allOf: [part] } });
    const { bin, stderr } = await buildSchemas({ parameters, output: anything });
    expect(stderr).toBe("");
    expect((await call(bin, {})).result).toEqual({ level: 3 });
    expect((await call(bin, { level: null })).result).toEqual({ level: 3 });
    expect((await call(bin, { level: 0, part: {}, parts: [{}, { level: 9 }], both: { name: "b" } })).result).toEqual({
      level: 0,
      part: { level: 3 },
      parts: [{ level: 3 }, { level: 9 }],
      both: { name: "b", level: 3 },
    });
  });

  test("are filled into answers, too", async () => {
    const { bin } = await buildSchemas({ output: fields({ level, parts: { type: "array", items: part } }) });
    expect((await call(bin, {})).result).toEqual({ level: 3 });
  });

  test.each([
    [
      { anyOf: [{ type: "string" }, part] },
      "has a default at /properties/x/anyOf/1/properties/level, which would not always be filled in: ",
    ],
    [
      { oneOf: [{ type: "string", default: "a" }, { type: "integer" }] },
      "has a default at /properties/x/oneOf/0, which would not always be filled in: ",
    ],
    [
      { allOf: [{ type: "integer", default: 1 }] },
      "has a default at /properties/x/allOf/0, which would not always be filled in: ",
    ],
    [{ not: part }, "has a default at /properties/x/not/properties/level, which would"],
    [{ if: part }, "has a default at /properties/x/if/properties/level, which would"],
    [{ type: "array", contains: part }, "has a default at /properties/x/contains/properties/level, which would"],
    [{ prefixItems: [level] }, "has a default at /properties/x/prefixItems/0, which would"],
    [
      { $ref: "#/properties/x/$defs/p", $defs: { p: part } },
      "has a default at /properties/x/$defs/p/properties/level, which",
    ],
    [
      fields({ o: fields({ "a b": { type: "integer", default: "x" } }) }),
      "has a default at /properties/x/properties/o/properties/a b that",
    ],
    [
      { type: "integer", default: "many" },
      "has a default at /properties/x that it does not allow: it must be integer.",
    ],
    [
      { ...part, required: ["name", "level"] },
      'requires "level" at /properties/x, which has a default. Remove one of them.',
    ],
    [
      { ...part, default: { level: [] } },
      "has a default at /properties/x that it does not allow: level must be integer.",
    ],
  ])("%j: the build says what would not be as the type says", async (x, problem) => {
    const { stderr, status } = await buildSchemas({ parameters: fields({ x }) });
    expect(stderr).toContain(`ikigai-build-tool: src/schema.ts: "parameters" ${problem}`);
    expect(status).toBe(1);
  });
});

describe("unknown arguments", () => {
  test.each([
    ["additionalProperties", "http://json-schema.org/draft-07/schema#"],
    ["unevaluatedProperties", "https://json-schema.org/draft/2020-12/schema"],
  ])("are ignored and listed, even with %s: false", async (keyword, $schema) => {
    const echo = await echoOf(fields({ x: { type: "string" } }, { $schema, [keyword]: false }));
    expect(await echo({ x: "a", y: 1 })).toEqual({ exitCode: 0, result: { x: "a", ignored: ["y"] } });
  });

  test("do not reach a tool that allows none, and do not count", async () => {
    const parameters = fields({ x: { type: "string" } }, { additionalProperties: false, minProperties: 1 });
    const { bin } = await buildSchemas({ parameters, output: anything });
    expect((await call(bin, { x: "a", y: 1 })).result).toEqual({ x: "a", ignored: ["y"] });
    expect(await call(bin, { y: 1 })).toEqual({
      exitCode: 0,
      result: {
        error: "Expected the arguments to have minProperties 1, got {} (object).",
        error_code: "INVALID_PARAMS",
        ignored: ["y"],
      },
    });
  });

  test("are refused inside an argument", async () => {
    const echo = await echoOf(fields({ x: fields({}, { additionalProperties: false }) }));
    expect(await echo({ x: { y: 1 } })).toEqual(invalid('Expected "x" to have no "y", got {"y":1} (object).'));
  });

  test("are not those that the schema describes without their names", async () => {
    const echo = await echoOf(fields({}, { patternProperties: { "^x-": { type: "string" } } }));
    expect((await echo({ "x-a": "a", b: 1 })).result).toEqual({ "x-a": "a", ignored: ["b"] });
    const open = await echoOf(fields({}, { additionalProperties: { type: "string" } }));
    expect((await open({ a: "a" })).result).toEqual({ a: "a" });
    expect(await open({ a: 1.5 })).toEqual(invalid('Expected "a" to be a string, got 1.5 (number).'));
  });
});

describe("keywords", () => {
  const text = { type: "string" };
  const byName = { required: ["name"] };
  const byId = { required: ["id"] };

  const ofOneArgument = [
    [
      "a union of types",
      fields({ x: { type: ["string", "integer"] } }),
      { x: 1.5 },
      'Expected "x" to be a string or an integer, got 1.5 (number).',
    ],
    [
      "prefixItems",
      fields({ x: { type: "array", prefixItems: [text, { type: "integer" }], items: false } }),
      { x: ["a", "b"] },
      'Expected "x.1" to be an integer, got "b" (string).',
    ],
    ["multipleOf", fields({ x: { multipleOf: 3 } }), { x: 4 }, 'Expected "x" to be a multiple of 3, got 4 (number).'],
    [
      "multipleOf, a fraction",
      fields({ x: { multipleOf: 0.1 } }),
      { x: 0.35 },
      'Expected "x" to be a multiple of 0.1, got 0.35 (number).',
    ],
    [
      "not, inside another",
      fields({ x: { type: "object", not: { required: ["y"] } } }),
      { x: { y: 1 } },
      'Expected "x" to not match {"required":["y"]}, got {"y":1} (object).',
    ],
    [
      "contains",
      fields({ x: { type: "array", contains: { type: "integer" } } }),
      { x: ["a"] },
      'Expected "x" to have an item that matches {"type":"integer"}, got ["a"] (array).',
    ],
    [
      "minContains",
      fields({ x: { type: "array", contains: { type: "integer" }, minContains: 2, maxContains: 3 } }),
      { x: [1] },
      'Expected "x" to have 2 to 3 items that match {"type":"integer"}, got [1] (array).',
    ],
    [
      "propertyNames",
      fields({ x: { type: "object", propertyNames: { pattern: "^a" } } }),
      { x: { b: 1 } },
      'Expected "x" to have no "b", which does not match {"pattern":"^a"}, got {"b":1} (object).',
    ],
    [
      "a false schema",
      fields({ x: { type: "object", properties: { y: false } } }),
      { x: { y: 1 } },
      'Expected "x.y" to be absent, got 1 (number).',
    ],
    [
      "items",
      fields({ x: { type: "array", prefixItems: [text], items: false } }),
      { x: ["a", "b"] },
      'Expected "x" to have at most 1 item, got ["a","b"] (array).',
    ],
    [
      "uniqueItems",
      fields({ x: { type: "array", uniqueItems: true } }),
      { x: [1, 2, 1] },
      'Expected "x" to have no two equal items, as items 0 and 2 are, got [1,2,1] (array).',
    ],
    [
      "unevaluatedProperties",
      fields({ x: { type: "object", properties: { y: text }, unevaluatedProperties: false } }),
      { x: { z: 1 } },
      'Expected "x" to have no "z", got {"z":1} (object).',
    ],
    [
      "unevaluatedItems",
      fields({ x: { type: "array", prefixItems: [text], unevaluatedItems: false } }),
      { x: ["a", "b"] },
      'Expected "x" to have at most 1 item, got ["a","b"] (array).',
    ],
    [
      "null",
      fields({ x: { type: ["null", "string"] } }),
      { x: 1.5 },
      'Expected "x" to be null or a string, got 1.5 (number).',
    ],
    ["const", fields({ x: { const: 1 } }), { x: 2 }, 'Expected "x" to be 1, got 2 (number).'],
    ["pattern", fields({ x: { pattern: "^a" } }), { x: "b" }, 'Expected "x" to match /^a/, got "b" (string).'],
  ] as const;
  const nameOf = (keyword: string) => keyword.replaceAll(/\W+/g, "_");
  // One tool with all of them, since a build takes longer than many calls.
  let echo: ReturnType<typeof echoOf> | undefined;

  test.each(ofOneArgument)("%s is checked", async (keyword, _, { x }, problem) => {
    echo ??= echoOf(
      fields(Object.fromEntries(ofOneArgument.map(([name, { properties }]) => [nameOf(name), properties.x]))),
    );
    const name = nameOf(keyword);
    expect(await (await echo)({ [name]: x })).toEqual(invalid(problem.replace('"x', `"${name}`)));
  });

  test.each([
    [
      "oneOf",
      fields({ name: text, id: text }, { oneOf: [byName, byId] }),
      {},
      'Expected "name" (string), which is missing. Or: Expected "id" (string), which is missing.',
    ],
    [
      "oneOf, twice",
      fields({ name: text, id: text }, { oneOf: [byName, byId] }),
      { name: "a", id: "b" },
      'Expected the arguments to match one schema of oneOf, not both 0 and 1, got {"name":"a","id":"b"} (object).',
    ],
    [
      "if",
      fields({ name: text, id: text }, { if: byName, else: byId }),
      {},
      'Expected "id" (string), which is missing.',
    ],
    [
      "not",
      fields({ name: text }, { not: byName }),
      { name: "a" },
      'Expected the arguments to not match {"required":["name"]}, got {"name":"a"} (object).',
    ],
    [
      "dependentRequired",
      fields({ name: text, id: text }, { dependentRequired: { name: ["id"] } }),
      { name: "a" },
      'Expected the arguments to have "id" beside "name", got {"name":"a"} (object).',
    ],
    [
      "dependencies",
      fields({ name: text, id: text }, { dependencies: { name: ["id"] } }),
      { name: "a" },
      'Expected the arguments to have "id" beside "name", got {"name":"a"} (object).',
    ],
    [
      "additionalItems",
      fields({ x: { type: "array", items: [text, text], additionalItems: false } }),
      { x: ["a", "b", "c"] },
      'Expected "x" to have at most 2 items, got ["a","b","c"] (array).',
    ],
    [
      "multipleOf, of a large number",
      fields({ x: { type: "integer", multipleOf: 16_777_216 } }),
      { x: 16_777_217 },
      'Expected "x" to be a multiple of 16777216, got 16777217 (number).',
    ],
    [
      "a reference",
      fields({ x: { $ref: "#/$defs/id" } }, { $defs: { id: { ...text, "x-note": 1 } } }),
      { x: 1.5 },
      'Expected "x" to be a string, got 1.5 (number).',
    ],
    [
      "a pattern beside a name",
      fields({ xa: text }, { patternProperties: { "^x": { minLength: 2 } } }),
      { xa: "a" },
      'Expected "xa" to have minLength 2, got "a" (string).',
    ],
  ])("%s is checked in a schema of its own", async (_, parameters, args, problem) => {
    const call = await echoOf(parameters);
    expect(await call(args)).toEqual(problem.endsWith("which is missing.") ? refused(problem) : invalid(problem));
  });
});

test("a tool gets its arguments as those who judge the call read them", async () => {
  const item = fields({ n: { type: "integer" }, s: { type: "string" } });
  const parameters = fields(
    {
      n: { type: "integer" },
      b: { type: "boolean" },
      s: { type: "string" },
      list: { type: "array", items: item },
      maybe: { anyOf: [{ type: "number" }, { type: "null" }] },
      one: { $ref: "#/$defs/item" },
    },
    { $defs: { item } },
  );
  const echo = await echoOf(parameters);
  const reading = { parameters: JSON.parse(JSON.stringify(parameters)), aliases: {} };
  for (const args of [
    { n: "5", b: "true", s: 7, maybe: "1.5", one: '{"n":"1"}' },
    { list: '[{"n":"2"},{"s":3}]' },
    { list: { n: "2", s: true } },
    { n: 5, b: false, s: "[1]", list: [], maybe: null, one: { s: "5" } },
  ] as JsonObject[]) {
    const { maybe, ...given } = argumentsAsRead(args, reading);
    expect(await echo(args)).toEqual({
      exitCode: 0,
      result: maybe === null ? given : { ...given, ...(maybe && { maybe }) },
    });
  }
});

test("fractions are multiples as people count them", async () => {
  const echo = await echoOf(
    fields({ x: { type: "number", multipleOf: 0.1 }, y: { type: "number", multipleOf: 0.01 } }),
  );
  for (const x of [0.1, 0.3, 1.1, 123_456.7]) expect((await echo({ x })).result).toEqual({ x });
  for (const y of [0.07, 19.99, 0, 12_345_678_901.23]) expect((await echo({ y })).result).toEqual({ y });
  for (const y of [0.010000001, 19.995, 1.000000001]) expect((await echo({ y })).result).toHaveProperty("error");
});

test.each(["1 / 0", "-1 / 0"])("%s is no number of an answer", async (ratio) => {
  const output = fields({ ratio: { type: "number" } });
  const { bin } = await buildSchemas({ parameters: fields({}), output, run: `() => ({ ratio: ${ratio} })` });
  const { exitCode, stderr } = await call(bin, {});
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain("Expected a finite number, got ");
});

const latin = { type: "string" };

test.each([
  ["has no such field", fields({ latin })],
  ["has it", fields({ latin, truncated: { type: "boolean" } })],
  ["allows any field", fields({}, { additionalProperties: true })],
])("an answer that is cut has truncated, once, if its schema %s", async (_, output) => {
  const { bin } = await buildSchemas({ parameters: fields({ latin }), output });
  const env = { IKIGAI_MAX_OUTPUT_BYTES: "200" };
  const { stdout, result } = await call(bin, { latin: "ord-way ".repeat(100) }, { env });
  expect(stdout.length).toBeLessThanOrEqual(200);
  expect(stdout.split('"truncated"')).toHaveLength(2);
  expect(result).toEqual({ latin: expect.stringMatching(/^(?:ord-way ?)+/), truncated: true });
  const { stdout: whole } = await call(bin, { latin: "ord-way" }, { env });
  expect(JSON.parse(whole)).toEqual({ latin: "ord-way" });
});
