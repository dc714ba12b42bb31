// @module-tag sampled
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { buildSchemas } from "./built-schema.ts";

const builder = fileURLToPath(new URL("../build/build-tool.mjs", import.meta.url));

const sources = { "src/main.ts": "", "src/schema.ts": "" };
const bin = '{"bin":{"x-tool":"dist/x-tool"}}';

test.each([
  [{}, "No package.json in"],
  [{ "package.json": bin }, "No src/main.ts in"],
  [{ ...sources, "package.json": "{}" }, 'Expected one "bin" that ends in -tool in package.json, got 0'],
  [
    {
      "package.json": bin,
      "src/main.ts": 'import "ikigai:compiled";',
      "src/schema.ts": "export const parameters = {};",
    },
    'to export "parameters" and "output"',
  ],
])("reports why %j cannot be built", async (files, reason) => {
  const { status, stderr } = spawnSync(builder, { cwd: await tempDir(files), encoding: "utf8" });
  expect(stderr).toContain(reason);
  expect(status).toBe(1);
});

const empty = { type: "object", properties: {} };

/** Builds a tool with this schema of its field `x`, in one of its two schemas. */
async function built(name: "parameters" | "output", x: object) {
  const schemas = { parameters: empty, output: empty, [name]: { type: "object", properties: { x } } };
  const schemaFile = Object.entries(schemas).map(([key, schema]) => `export const ${key} = ${JSON.stringify(schema)};`);
  const main = `import { compiled } from "ikigai:compiled";
console.log(process.argv[2] === "--schema" ? '{"parameters":{"type":"object"}}' : compiled.check({ x: "no address" }));`;
  const cwd = await tempDir({ "package.json": bin, "src/main.ts": main, "src/schema.ts": schemaFile.join("\n") });
  const { status, stderr } = spawnSync(builder, { cwd, encoding: "utf8" });
  return { cwd, status, stderr };
}

test.each([
  [{ type: "strng" }, 'has "strng" at /properties/x/type. Allowed: "array", "boolean", "integer", "null", '],
  [{ enum: [] }, "has [] at /properties/x/enum, which must NOT have fewer than 1 items.\n"],
  [{ $ref: "#/nope" }, 'has the $ref "#/nope", which leads to nothing. '],
  [
    { minumum: 1 },
    'has "minumum" at /properties/x, which is not a keyword of JSON Schema. Correct it, or begin it with x- ',
  ],
  [
    { type: "integer", nullable: true },
    'has "nullable" at /properties/x, which is a keyword of OpenAPI, not of JSON Schema. Instead, name null among the types: "type": ["integer", "null"].\n',
  ],
  [
    { type: ["string", "null"], nullable: true },
    'has "nullable" at /properties/x, which is a keyword of OpenAPI, not of JSON Schema. Instead, name null among the types: "type": ["string", "null"].\n',
  ],
  [{ nullable: false }, 'has "nullable" at /properties/x, '],
  [{ $async: true }, 'has "$async" at /properties/x, which is not a keyword of JSON Schema. '],
  [{ $anchor: "size" }, 'has "$anchor" at /properties/x, which is not supported. Refer to a schema by its place: '],
  [{ $dynamicRef: "#size" }, 'has "$dynamicRef" at /properties/x, which is not supported. '],
  [
    { pattern: "(" },
    "has a pattern at /properties/x that is not a regular expression: Invalid regular expression: /(/u: ",
  ],
])("says what is wrong with the schema %j, in one line", async (schema, problem) => {
  for (const name of ["parameters", "output"] as const) {
    const { status, stderr } = await built(name, schema);
    expect(status).toBe(1);
    expect(stderr).toContain(`ikigai-build-tool: src/schema.ts: "${name}" ${problem}`);
    expect(stderr.trimEnd()).not.toContain("\n");
  }
});

const listOfText = { type: "array", items: [{ type: "string" }] };
const draft7 = { $schema: "http://json-schema.org/draft-07/schema#" };
const draft2020 = { $schema: "https://json-schema.org/draft/2020-12/schema" };
const dependent = { dependentRequired: { x: ["y"] } };
const onlyNewer = 'has "dependentRequired" at its top level, a keyword of draft 2020-12, but ';

test.each([
  [
    { properties: { x: listOfText }, ...dependent },
    `${onlyNewer}"items" as an array at /properties/x is of draft 7. Use one draft. In 2020-12, "items" as an array is "prefixItems".\n`,
  ],
  [
    { properties: { x: { ...listOfText, unevaluatedItems: false } } },
    'has "unevaluatedItems" at /properties/x, a keyword of draft 2020-12, but "items" as an array at /properties/x is of draft 7. ',
  ],
  [
    { properties: { x: { prefixItems: [] } }, dependencies: { x: ["y"] } },
    'has "prefixItems" at /properties/x, a keyword of draft 2020-12, but "dependencies" at its top level is of draft 7. Use one draft. In 2020-12, "dependencies" is "dependentRequired" or "dependentSchemas".\n',
  ],
  [{ ...draft7, ...dependent }, `${onlyNewer}its $schema names draft 7. Use one draft.\n`],
  [
    { ...draft2020, properties: { x: listOfText } },
    'has "items" as an array at /properties/x, which is of draft 7, but its $schema names draft 2020-12. Use one draft. In 2020-12, ',
  ],
])("names the keywords of two drafts in %j", async (schema, problem) => {
  const { status, stderr } = await buildSchemas({ parameters: { ...empty, ...schema } });
  expect(stderr).toContain(`ikigai-build-tool: src/schema.ts: "parameters" ${problem}`);
  expect(status).toBe(1);
});

test.each([
  { properties: { x: listOfText }, dependencies: { x: ["y"] } },
  { ...draft2020, ...dependent, dependencies: { x: ["y"] } },
])("accepts what the draft of a schema allows: %j", async (schema) => {
  const { bin: _, ...end } = await buildSchemas({ parameters: { ...empty, ...schema } });
  expect(end).toEqual({ status: 0, stderr: "" });
});

test("names the dialects that a schema can have", async () => {
  const parameters = { ...empty, $schema: "http://json-schema.org/draft-04/schema#" };
  const { stderr } = await buildSchemas({ parameters });
  expect(stderr).toContain(
    '"parameters" has the $schema "http://json-schema.org/draft-04/schema#", which is not supported. Use ',
  );
});

test("accepts a format and does not check it", async () => {
  for (const name of ["parameters", "output"] as const) {
    const { cwd, ...end } = await built(name, { type: "string", format: "email" });
    expect(end).toEqual({ status: 0, stderr: "" });
    expect(spawnSync(`${cwd}/dist/x-tool`, { encoding: "utf8" }).stdout).toBe("true\n");
  }
});

test("reports a built tool that cannot print its schema", async () => {
  const schema = "export const parameters = { type: 'object', properties: {} };\nexport const output = parameters;\n";
  const files = { "package.json": bin, "src/main.ts": "console.log(parameters);", "src/schema.ts": schema };
  const { status, stderr } = spawnSync(builder, { cwd: await tempDir(files), encoding: "utf8" });
  expect(stderr).toMatch(/^ikigai-build-tool: dist\/x-tool --schema failed with exit code 1:\n/);
  expect(stderr).toContain("ReferenceError: parameters is not defined");
  expect(status).toBe(1);
});

test("names missing peer dependencies and how to install them", async () => {
  const dir = await tempDir();
  cpSync(fileURLToPath(new URL("../build", import.meta.url)), dir, { recursive: true });
  const build = () => spawnSync(`${dir}/build-tool.mjs`, { cwd: dir, encoding: "utf8" });
  expect(build()).toMatchObject({
    status: 1,
    stderr:
      "ikigai-build-tool: ajv, esbuild, fast-json-stringify not installed. Run: npm install --save-dev ajv esbuild fast-json-stringify\n",
  });
  for (const name of ["ajv", "fast-json-stringify"]) {
    mkdirSync(`${dir}/node_modules/${name}`, { recursive: true });
    writeFileSync(`${dir}/node_modules/${name}/index.js`, "");
  }
  expect(build().stderr).toBe("ikigai-build-tool: esbuild not installed. Run: npm install --save-dev esbuild\n");
});
