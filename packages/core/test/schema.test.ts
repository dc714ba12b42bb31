import { maxSchemaBytes } from "@ikigai/protocol";
import { expect, test } from "vitest";
import { findTool } from "../src/index.ts";
import { schema, tool, world } from "./world.ts";

/** What discovery makes of tools that print these texts for `--schema`, by name. */
async function discoverPrinting(texts: Readonly<Record<string, string>>) {
  const files = Object.entries(texts).map(([name, text]) => [
    [`system/${name}-tool`, `#!/bin/sh\ncat "$0.schema"\n`],
    [`system/${name}-tool.schema`, text],
  ]);
  const { discover } = await world(Object.fromEntries(files.flat()));
  const registry = await discover();
  const failed = Object.fromEntries(registry.failed.map(({ name, reason, detail }) => [name, `${reason}: ${detail}`]));
  return { registry, failed, find: (name: string) => findTool(registry, name)?.schema };
}

function padded(name: string, bytes: number): string {
  const text = schema(name, { description: "" });
  return schema(name, { description: "x".repeat(bytes - text.length) });
}

test("accepts a schema of the maximum size, and rejects one with a byte more", async () => {
  const { failed, find } = await discoverPrinting({
    fits: padded("fits", maxSchemaBytes),
    larger: padded("larger", maxSchemaBytes + 1),
  });
  expect(find("fits")?.name).toBe("fits");
  expect(failed).toEqual({ larger: "too large: schema larger than 8192 bytes" });
});

test("stops a tool that floods instead of printing its schema", async () => {
  const { discover } = await world({ "system/flood-tool": "#!/bin/sh\nexec yes\n" });
  expect((await discover()).failed).toMatchObject([{ name: "flood", reason: "too large" }]);
});

test("says what is wrong with invalid JSON", async () => {
  const { failed } = await discoverPrinting({
    empty: "",
    cut: '{"name":',
    two: "{} {}",
    bom: `\uFEFF${schema("bom")}`,
    nan: '{"name": NaN}',
    lines: "hi\nho",
    list: "[]",
  });
  expect(failed).toEqual({
    empty: "invalid JSON: --schema printed nothing",
    cut: "invalid JSON: --schema printed text that is not JSON: the text ends early at byte 8",
    two: "invalid JSON: --schema printed text that is not JSON: more text after the value at byte 3",
    bom: "invalid JSON: --schema printed text that is not JSON: a byte order mark at byte 0",
    nan: "invalid JSON: --schema printed text that is not JSON: unexpected N at byte 9",
    lines:
      'invalid JSON: --schema printed "hi…", which is not JSON: unexpected h at byte 0; a plain tool needs the comment "# @describe what it does"',
    list: "invalid schema: expected an object, got an array",
  });
});

test("says what is wrong with an invalid schema", async () => {
  const parameters = (value: unknown) => schema("x", { parameters: value });
  const cycle = {
    $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } },
    properties: { p: { $ref: "#/$defs/a" } },
  };
  const { failed } = await discoverPrinting({
    nameless: JSON.stringify({ description: "", parameters: {} }),
    openai: JSON.stringify({ type: "function", function: { name: "x", parameters: {} } }),
    numbered: JSON.stringify({ name: 1, description: "", parameters: {} }),
    listed: JSON.stringify({ name: "x", description: [], parameters: {} }),
    without: JSON.stringify({ name: "x", description: "" }),
    array: parameters([]),
    text: parameters("none"),
    typed: parameters({ type: "array" }),
    words: parameters({ city: "string" }),
    properties: parameters({ type: "object", properties: [] }),
    required: parameters({ type: "object", required: "city" }),
    itself: parameters({ $ref: "#" }),
    cycle: parameters(cycle),
    astray: parameters({ properties: { p: { $ref: "#/$defs/none" } } }),
    deep: parameters({ default: JSON.parse("[".repeat(900) + "]".repeat(900)) }),
    deeper: parameters({ default: JSON.parse("[".repeat(3_500) + "]".repeat(3_500)) }),
  });
  const wrong = '"parameters": expected a JSON Schema';
  expect(failed).toEqual({
    nameless: 'invalid schema: expected "name" to be a string, got nothing',
    openai: 'invalid schema: it has the form of the OpenAI API: print only the object inside "function"',
    numbered: 'invalid schema: expected "name" to be a string, got a number',
    listed: 'invalid schema: expected "description" to be a string, got an array',
    without: `invalid schema: ${wrong}, got nothing`,
    array: `invalid schema: ${wrong}, got an array`,
    text: `invalid schema: ${wrong}, got a string`,
    typed: `invalid schema: ${wrong} of type "object", got "array"`,
    words: `invalid schema: ${wrong}, got {"city":"string"}`,
    properties: 'invalid schema: "parameters": expected "properties" to be an object, got an array',
    required: 'invalid schema: "parameters": expected "required" to be a list of names',
    itself: 'invalid schema: "parameters": $ref "#" is circular',
    cycle: 'invalid schema: "parameters": $ref "#/$defs/b" is circular',
    astray: 'invalid schema: "parameters": $ref "#/$defs/none" points to nothing',
    deep: "invalid schema: it is nested deeper than 64 levels",
    deeper: "invalid schema: it has more than 1000 levels",
  });
});

test("accepts a tool that prints to stderr, and rejects one that exits with a code other than 0", async () => {
  const { discover } = await world({
    "system/noisy-tool": tool(schema("noisy")).replace("#!/bin/sh", "#!/bin/sh\necho loading >&2"),
    "system/failing-tool": `${tool(schema("failing")).replace("exit;", "echo 'no way' >&2; exit 4;")}`,
    "system/dying-tool": `${tool(schema("dying")).replace("exit;", () => "kill -TERM $$;")}`,
  });
  const { tools, failed } = await discover();
  expect(tools.map(({ name }) => name)).toEqual(["noisy"]);
  expect(failed.map(({ detail }) => detail)).toEqual([
    "--schema was killed by SIGTERM",
    "--schema ended with exit code 4: no way",
  ]);
});

test("understands the older form of parameters, and `required` inside a property", async () => {
  const { find } = await discoverPrinting({
    older: schema("older", {
      parameters: {
        city: { type: "string", description: "Which", required: true },
        type: { type: "string", required: false },
        properties: { type: "array" },
      },
      returns: { type: "object", properties: { warm: { type: "boolean" } } },
    }),
    mixed: schema("mixed", {
      parameters: {
        properties: { a: { type: "string", required: true }, b: { properties: { c: { required: true } } } },
        required: ["z"],
      },
    }),
    none: schema("none", { parameters: {} }),
  });
  expect(find("older")).toMatchObject({
    parameters: {
      type: "object",
      properties: {
        city: { type: "string", description: "Which" },
        type: { type: "string" },
        properties: { type: "array" },
      },
      required: ["city"],
    },
    outputSchema: { type: "object", properties: { warm: { type: "boolean" } } },
  });
  expect(find("mixed")?.parameters).toEqual({
    type: "object",
    properties: { a: { type: "string" }, b: { properties: { c: {} }, required: ["c"] } },
    required: ["z", "a"],
  });
  expect(find("none")?.parameters).toEqual({ type: "object", properties: {} });
});

test("accepts an MCP tool object, and drops what it cannot use", async () => {
  const { registry, find } = await discoverPrinting({
    mcp: JSON.stringify({
      name: "mcp",
      title: "From MCP",
      inputSchema: { type: "object", properties: {}, $schema: "x" },
      outputSchema: "wrong",
      annotations: { readOnlyHint: true, destructiveHint: "no", idempotent: true },
      ikigai: { timeoutMs: 1_000, timeoutArgument: 7, prestart: true, maxOutputBytes: -1, unknown: 1 },
      _meta: {},
    }).replace('"properties":{', '"properties":{"__proto__":{"type":"string"}'),
  });
  expect(find("mcp")).toEqual({
    name: "mcp",
    description: "",
    title: "From MCP",
    parameters: {
      type: "object",
      properties: JSON.parse('{"__proto__":{"type":"string"}}'),
      $schema: "x",
    },
    annotations: { readOnlyHint: true },
    ikigai: { timeoutMs: 1_000, prestart: true },
  });
  expect(registry.tools[0]?.warnings).toEqual(["Its schema has no description, so models must guess what it does."]);
});

test("removes invisible characters from texts for the model, not from values", async () => {
  const properties = { a: { type: "string", description: "A\u{e0041} text", enum: ["x\u200b"] } };
  const { registry } = await discoverPrinting({
    tag: JSON.stringify({ name: "tag", description: "Tags\u202e it", parameters: { type: "object", properties } }),
  });
  expect(registry.tools).toMatchObject([
    {
      schema: {
        description: "Tags it",
        parameters: { properties: { a: { description: "A text", enum: ["x\u200b"] } } },
      },
      warnings: ["Its schema has 2 invisible characters, which the model does not get."],
    },
  ]);
});

test("accepts a schema that refers to itself where that makes sense", async () => {
  const tree = {
    type: "object",
    properties: { children: { type: "array", items: { $ref: "#" } }, other: { $ref: "#/$defs/o" } },
    $defs: { o: {} },
  };
  const { find } = await discoverPrinting({ tree: schema("tree", { parameters: tree }) });
  expect(find("tree")?.parameters).toEqual(tree);
});

test("asks in the tool's own directory, without keys and without input", async () => {
  const { discover } = await world({
    "system/curious-tool": `#!/bin/sh\n[ -z "$OPENAI_API_KEY" ] && [ -f curious-tool ] && [ -z "$(cat)" ] && cat << 'END'\n${schema("curious")}\nEND\n`,
  });
  const registry = await discover({ env: { ...process.env, OPENAI_API_KEY: "k" } });
  expect(registry.tools.map(({ name }) => name)).toEqual(["curious"]);
});
