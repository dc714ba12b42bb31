// @module-tag sampled
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { checkTool } from "../src/checks/check-tool.ts";
import { tempDir } from "../src/run/temp-dir.ts";
import { nodeTool, schema } from "./tool-source.ts";

/** Checks the answers of a tool with these parameters, which says that it is harmless. Returns the reason and its calls. */
async function checkWith(parameters: object, options: { calls?: [] } = {}) {
  const source = nodeTool({
    schemaText: JSON.stringify({ ...schema, parameters: { type: "object", ...parameters } }),
    check: "",
    answer: "require('node:fs').appendFileSync('calls', JSON.stringify({ text, ...rest })); console.log('{}');",
  });
  const dir = await tempDir({ "shout-tool": source, "work/calls": "" });
  const { results } = await checkTool(`${dir}/shout-tool`, { ...options, cwd: `${dir}/work`, only: ["answers"] });
  return { reason: results.at(-1)?.reason, called: readFileSync(`${dir}/work/calls`, "utf8") };
}

/** Parameters with the required one `x`. */
const requiring = (x: object, others: object = {}) => ({ required: ["x"], properties: { x }, ...others });

const tree = {
  type: "object",
  required: ["name"],
  properties: { name: { type: "string" }, below: { $ref: "#/$defs/tree" } },
};

test.each([
  [requiring({ type: "string", minLength: 8 }), { x: "sampleee" }],
  [requiring({ type: "string", maxLength: 3 }), { x: "sam" }],
  [requiring({ type: "string", format: "date" }), { x: "2024-02-29" }],
  [requiring({ type: "integer", exclusiveMinimum: 4, multipleOf: 3 }), { x: 6 }],
  [requiring({ type: "number", maximum: -2 }), { x: -2 }],
  [requiring({ enum: ["b", "a"] }), { x: "b" }],
  [requiring({ const: 7 }), { x: 7 }],
  [requiring({ type: "string", pattern: "^[A-Z]{3}$", default: "ABC" }), { x: "ABC" }],
  [requiring({ type: "array", minItems: 2, items: { type: "boolean" } }), { x: [false, false] }],
  [requiring({ type: "array", minItems: 2, prefixItems: [{ type: "null" }, { const: 1 }] }), { x: [null, 1] }],
  [requiring({ anyOf: [{ type: "integer" }, { type: "string" }] }), { x: 1 }],
  [
    requiring({ allOf: [tree, { required: ["id"], properties: { id: { const: 1 } } }] }, { $defs: { tree } }),
    { x: { name: "sample", id: 1 } },
  ],
  [requiring({ $ref: "#/$defs/tree" }, { $defs: { tree } }), { x: { name: "sample" } }],
  [{ properties: { a: { type: "integer" }, b: { type: "integer" } }, minProperties: 1 }, { a: 1 }],
  [{ properties: { a: {}, b: {} }, oneOf: [{ required: ["b"] }, { required: ["a"] }] }, { b: "sample" }],
])("makes arguments for %j", async (parameters, args) => {
  expect(await checkWith(parameters)).toEqual({ reason: undefined, called: JSON.stringify(args) });
});

test.each([
  [{ type: "string", pattern: "^[A-Z]{3}$" }, 'Expected "parameters.x" to match pattern "^[A-Z]{3}$", got "sample".'],
  [{ type: "array", minItems: 2, uniqueItems: true }, 'Expected "parameters.x" to NOT have duplicate items'],
])("says why it makes no arguments for %j, and what to do", async (x, problem) => {
  const { reason, called } = await checkWith(requiring(x));
  expect(called).toBe("");
  expect(reason).toContain(`needs a real call, and arguments made from the schema do not fit it: ${problem}`);
  expect(reason).toMatch(/ List some in "examples" of the parameters: .* To make one now: --call '\{…\}'$/);
});

test("calls with the examples where it could make no arguments", async () => {
  const examples = [{ x: "ABC" }, { x: "DEF" }];
  const parameters = { ...requiring({ type: "string", pattern: "^[A-Z]{3}$" }), examples };
  expect(await checkWith(parameters)).toEqual({
    reason: undefined,
    called: examples.map((one) => JSON.stringify(one)).join(""),
  });
});

test("names --examples where the schema has some, but does not say that it is harmless", async () => {
  const text = JSON.stringify({
    ...schema,
    annotations: {},
    parameters: { ...schema.parameters, examples: [{ text: "a" }] },
  });
  const dir = await tempDir({ "shout-tool": nodeTool({ schemaText: text }) });
  const { results } = await checkTool(`${dir}/shout-tool`, { only: ["answers"] });
  expect(results.at(-1)?.reason).toMatch(
    /does not declare readOnlyHint: true .* To make one: --examples, or --call '\{…\}'$/,
  );
});

test("says that no calls were given", async () => {
  expect((await checkWith({}, { calls: [] })).reason).toBe("needs a real call, and none was given");
});
