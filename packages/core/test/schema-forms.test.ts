// @module-tag tables
import { checkTool } from "@ikigai/testing";
import { expect, test } from "vitest";
import { findTool } from "../src/index.ts";
import { world } from "./world.ts";

/** A host's reading of a schema: its parameters, or `refused`. */
type Verdict = object | "refused";

const city = { type: "string" };
const properties = { city };
const object = { type: "object", properties };
const open = { type: "object", properties: {} };
const required = { ...object, required: ["city"] };

/** Parameters in every form seen in tools, and broken ones. */
const forms: readonly (readonly [what: string, parameters: unknown, verdict: Verdict])[] = [
  ["a JSON Schema", object, object],
  ["with required names", required, required],
  ["without properties", { type: "object" }, open],
  ["without a type", { properties }, object],
  ["with nothing but required names", { required: ["city"] }, { ...open, required: ["city"] }],
  ["with nothing but a description", { description: "nothing" }, { ...open, description: "nothing" }],
  ["with nothing but a title", { title: "T" }, { ...open, title: "T" }],
  [
    "with nothing but $schema",
    { $schema: "http://json-schema.org/draft-07/schema#" },
    { ...open, $schema: "http://json-schema.org/draft-07/schema#" },
  ],
  ["empty", {}, open],
  ["closed to other names", { ...object, additionalProperties: false }, { ...object, additionalProperties: false }],
  ["with alternatives", { anyOf: [object] }, { ...open, anyOf: [object] }],
  ["with oneOf", { oneOf: [object] }, { ...open, oneOf: [object] }],
  ["with allOf", { allOf: [object] }, { ...open, allOf: [object] }],
  [
    "with a definition that is referenced",
    { ...object, $defs: { c: city }, properties: { city: { $ref: "#/$defs/c" } } },
    { type: "object", $defs: { c: city }, properties: { city: { $ref: "#/$defs/c" } } },
  ],
  [
    "that refers to itself",
    { ...object, properties: { more: { $ref: "#" } } },
    { type: "object", properties: { more: { $ref: "#" } } },
  ],
  [
    "with a parameter called type",
    { type: "object", properties: { type: city } },
    { type: "object", properties: { type: city } },
  ],
  [
    "with a parameter called properties",
    { type: "object", properties: { properties: city } },
    { type: "object", properties: { properties: city } },
  ],
  ["with examples", { ...object, examples: [{ city: "Oslo" }] }, { ...object, examples: [{ city: "Oslo" }] }],
  [
    "with required: true in a property",
    { type: "object", properties: { city: { ...city, required: true } } },
    required,
  ],
  [
    "with required: false in a property",
    { type: "object", properties: { city: { ...city, required: false } } },
    object,
  ],
  ["with required in both places", { ...required, properties: { city: { ...city, required: true } } }, required],
  [
    "with required: true in a nested object",
    { type: "object", properties: { at: { type: "object", properties: { city: { ...city, required: true } } } } },
    { type: "object", properties: { at: required } },
  ],
  [
    "with required: true in the objects of a list, of an alternative and of a definition",
    {
      type: "object",
      properties: {
        list: { type: "array", items: { type: "object", properties: { city: { ...city, required: true } } } },
        either: { anyOf: [{ type: "object", properties: { city: { ...city, required: true } } }] },
      },
      $defs: { at: { type: "object", properties: { city: { ...city, required: true } } } },
    },
    {
      type: "object",
      properties: { list: { type: "array", items: required }, either: { anyOf: [required] } },
      $defs: { at: required },
    },
  ],
  [
    "with required: true in data",
    { type: "object", properties: { city: { ...city, default: { properties: { city: { required: true } } } } } },
    { type: "object", properties: { city: { ...city, default: { properties: { city: { required: true } } } } } },
  ],
  ["with required: true in the object itself", { ...object, required: true }, object],
  ["the older form", { city }, object],
  ["the older form, required", { city: { ...city, required: true } }, required],
  ["the older form, not required", { city: { ...city, required: false } }, object],
  [
    "the older form with a description only",
    { city: { description: "Name" } },
    { type: "object", properties: { city: { description: "Name" } } },
  ],
  ["the older form with a parameter called type", { type: city }, { type: "object", properties: { type: city } }],
  [
    "the older form with a parameter called properties",
    { properties: city },
    { type: "object", properties: { properties: city } },
  ],
  [
    "the older form with a parameter called required",
    { required: city },
    { type: "object", properties: { required: city } },
  ],
  [
    "the older form with a parameter called description",
    { description: city },
    { type: "object", properties: { description: city } },
  ],
  ["missing", undefined, "refused"],
  ["null", null, "refused"],
  ["a list", [object], "refused"],
  ["a string", "object", "refused"],
  ["true", true, "refused"],
  ["of type array", { type: "array", items: city }, "refused"],
  ["of type string", city, "refused"],
  ["of several types", { ...object, type: ["object", "null"] }, "refused"],
  ["with a list of properties", { type: "object", properties: [city] }, "refused"],
  ["with null for properties", { type: "object", properties: null }, "refused"],
  ["with a required that is a name", { ...object, required: "city" }, "refused"],
  ["with a required that is not a list of names", { ...object, required: [1] }, "refused"],
  ["with words for types", { city: "string" }, "refused"],
  ["with a dangling reference", { ...object, properties: { city: { $ref: "#/$defs/none" } } }, "refused"],
  [
    "with circular references",
    {
      ...object,
      $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
      properties: { city: { $ref: "#/$defs/a" } },
    },
    "refused",
  ],
  ["too deep", { ...object, properties: { city: nested(70) } }, "refused"],
];

/** Other outputs of `--schema`: the whole text. */
const texts: readonly (readonly [what: string, text: string | Uint8Array, verdict: Verdict])[] = [
  ["inputSchema, as MCP calls it", JSON.stringify({ name: "x", description: "Does it.", inputSchema: object }), object],
  [
    "both names of the parameters",
    JSON.stringify({ name: "x", description: "Does it.", parameters: required, inputSchema: object }),
    required,
  ],
  ["no name", JSON.stringify({ description: "Does it.", parameters: object }), "refused"],
  ["a number for a name", JSON.stringify({ name: 1, description: "Does it.", parameters: object }), "refused"],
  ["a list for a description", JSON.stringify({ name: "x", description: [], parameters: object }), "refused"],
  [
    "annotations of another type",
    JSON.stringify({ name: "x", description: "Does it.", parameters: object, annotations: 1 }),
    object,
  ],
  [
    "white space around it",
    `\n\n ${JSON.stringify({ name: "x", description: "Does it.", parameters: object })}\r\n`,
    object,
  ],
  ["a list", "[]", "refused"],
  ["nothing", "", "refused"],
  ["two objects", "{} {}", "refused"],
  [
    "a byte order mark",
    `\uFEFF${JSON.stringify({ name: "x", description: "Does it.", parameters: object })}`,
    "refused",
  ],
  [
    "bytes that are not UTF-8",
    Buffer.from(JSON.stringify({ name: "x", description: "\u00e9", parameters: object }), "latin1"),
    "refused",
  ],
];

test.concurrent.each([
  ...forms.map(
    ([what, parameters, verdict]) =>
      [`parameters ${what}`, JSON.stringify({ name: "x", description: "Does it.", parameters }), verdict] as const,
  ),
  ...texts,
])("gives host and kit the same result for %s", async (_, text, verdict) => {
  const { discover, root } = await world({
    "system/x-tool": '#!/bin/sh\ncat "$0.schema"\n',
    "system/x-tool.schema": text,
  });
  expect(findTool(await discover(), "x")?.schema.parameters ?? "refused").toEqual(verdict);
  const { ok, results } = await checkTool(`${root}/system/x-tool`, { only: ["name", "description", "parameters"] });
  expect(ok, JSON.stringify(results)).toBe(verdict !== "refused");
});

function nested(levels: number): object {
  return levels === 0 ? city : { type: "array", items: nested(levels - 1) };
}
