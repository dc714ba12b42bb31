// Promise 10 of SECURITY.md.
import type { JsonObject } from "@ikigai/protocol";
import { describe, expect, test } from "vitest";
import { toolSchemaLine } from "../src/definitions/define-tools.ts";
import type { ListedTool } from "../src/definitions/listed-tool.ts";

const target = { name: "mcp__s__t", server: "s", variables: [], hasHeaders: false };
const plain: ListedTool = { name: "t", description: "Do it", inputSchema: { type: "object", properties: {} } };

/** The schema that a wrapper prints for this tool. */
function schemaOf(tool: Partial<ListedTool>) {
  const made = toolSchemaLine({ ...plain, ...tool }, target);
  if ("problem" in made) throw new Error(made.problem);
  return { ...made, schema: JSON.parse(made.line) };
}

function problemOf(tool: Partial<ListedTool>): string {
  const made = toolSchemaLine({ ...plain, ...tool }, target);
  return "problem" in made ? made.problem : "none";
}

describe("the schema of a wrapper", () => {
  test("names the tool, its service and the variables of its server", () => {
    const made = toolSchemaLine({ ...plain, title: "T" }, { ...target, variables: ["GITHUB_TOKEN"] });
    expect("line" in made && JSON.parse(made.line)).toEqual({
      name: "mcp__s__t",
      title: "T",
      description: "Do it",
      parameters: { type: "object", properties: {} },
      annotations: {},
      ikigai: { service: "s", timeoutMs: 120_000, needs: { env: ["GITHUB_TOKEN"] } },
    });
  });

  test("keeps the hints that are booleans and drops all other annotations", () => {
    const annotations = { readOnlyHint: true, destructiveHint: "no", title: "x", evil: true };
    expect(schemaOf({ annotations }).schema.annotations).toEqual({ readOnlyHint: true });
  });

  test("has the schema of a structured result as a field of the answer, unless it refers to itself", () => {
    const structured = { type: "object", properties: { n: { type: "number" } } };
    expect(schemaOf({ outputSchema: structured }).schema.outputSchema.properties.structured).toEqual(structured);
    const circular = { type: "object", properties: { child: { $ref: "#" } } };
    expect(schemaOf({ outputSchema: circular }).schema.outputSchema).toBeUndefined();
  });

  test("cuts a description at 2,048 bytes, between characters", () => {
    expect(schemaOf({ description: "x".repeat(2_048) }).schema.description).toBe("x".repeat(2_048));
    const { description } = schemaOf({ description: "é".repeat(1_025) }).schema;
    expect(description).toBe(`${"é".repeat(1_022)}…`);
  });
});

describe("characters that a person does not see", () => {
  const smuggled = "safe\u001b]0;x\u0007\u202e\u200b\u{e0041}\ufe01 text\n\ttab";

  test("are removed from texts", () => {
    const inputSchema = { type: "object", properties: { a: { type: "string", description: smuggled } } };
    const { schema } = schemaOf({ description: smuggled, title: smuggled, inputSchema });
    const seen = "safe]0;x text\n\ttab";
    expect([schema.description, schema.title, schema.parameters.properties.a.description]).toEqual([seen, seen, seen]);
  });

  test("are not those of an emoji", () => {
    const inputSchema = {
      type: "object",
      properties: { a: { enum: ["\u2714\ufe0f", "\u274c", "\u{1f469}\u200d\u{1f4bb}"] } },
    };
    expect(schemaOf({ inputSchema }).schema.parameters).toEqual(inputSchema);
  });

  test.each<JsonObject>([
    { type: "object", properties: { "a\u200b": { type: "string" } } },
    { type: "object", properties: { a: { enum: ["\u{e0041}"] } } },
    { type: "object", properties: { description: { const: "\u001b[31m" } } },
  ])("leave a tool out where they would have to stay: %j", (inputSchema) => {
    expect(problemOf({ inputSchema })).toBe("its parameters contain invisible characters");
  });
});

describe("a definition that is too large", () => {
  const property = (description: string) => ({
    type: "object",
    properties: { description: { type: "string", description } },
  });

  test("first loses the schema of its answer", () => {
    const outputSchema = { type: "object", properties: { x: { type: "string", description: "y".repeat(7_000) } } };
    const { schema, isShortened } = schemaOf({ inputSchema: property("z".repeat(2_000)), outputSchema });
    expect(schema.outputSchema).toBeUndefined();
    expect(schema.parameters.properties.description.description).toHaveLength(2_000);
    expect(isShortened).toBe(true);
  });

  test("then loses what a call does not need, and keeps a parameter called description", () => {
    const { schema, line } = schemaOf({ inputSchema: { $schema: "x", ...property("z".repeat(9_000)) } });
    expect(schema.parameters).toEqual({ type: "object", properties: { description: { type: "string" } } });
    expect(Buffer.byteLength(line)).toBeLessThan(8_192);
  });

  test("is left out with its size if that is not enough", () => {
    const inputSchema = { type: "object", properties: { a: { enum: ["v".repeat(9_000)] } } };
    expect(problemOf({ inputSchema })).toMatch(/^its definition has 9\d{3} bytes, and the limit is 8192$/);
  });

  test("has exactly the limit, or one byte more", () => {
    const sized = (length: number) => ({ type: "object", properties: { a: { const: "v".repeat(length) } } });
    const { line } = schemaOf({ inputSchema: sized(100) });
    const room = 8_192 - 1 - Buffer.byteLength(line);
    expect(Buffer.byteLength(schemaOf({ inputSchema: sized(100 + room) }).line)).toBe(8_191);
    expect(problemOf({ inputSchema: sized(101 + room) })).toContain("8193 bytes");
  });
});

test("a schema that no host could read leaves the tool out", () => {
  expect(problemOf({ inputSchema: { type: "array" } })).toContain('of type "object"');
  let deep: JsonObject = { type: "string" };
  for (let level = 0; level < 5_000; level++) deep = { not: deep };
  expect(problemOf({ inputSchema: { type: "object", properties: { deep } } })).toBe("its schema is nested too deeply");
});

describe("a parameter that is to be in a header", () => {
  const header = (name: unknown) => ({ "x-mcp-header": name }) as JsonObject;
  const parameter = { type: "string", ...header("Region") };
  const withHeaders = (properties: JsonObject, more: JsonObject = {}) => {
    const tool = { ...plain, inputSchema: { type: "object", properties, ...more } };
    const made = toolSchemaLine(tool, { ...target, hasHeaders: true });
    expect(toolSchemaLine(tool, target)).toHaveProperty("line");
    return "problem" in made ? made.problem : "none";
  };

  test.each<[JsonObject, string]>([
    [{ a: { type: "string", ...header("") } }, '"", an x-mcp-header of its schema, is not the name of a header'],
    [{ a: { type: "string", ...header("My Region") } }, "is not the name of a header"],
    [{ a: { type: "string", ...header("Region:Evil") } }, "is not the name of a header"],
    [{ a: { type: "string", ...header("R\u00e9gion") } }, "is not the name of a header"],
    [{ a: { type: "string", ...header(1) } }, "is not the name of a header"],
    [{ a: { type: "number", ...header("A") } }, "with the x-mcp-header A is not a string, integer or boolean"],
    [{ a: { type: "object", ...header("A") } }, "is not a string, integer or boolean"],
    [{ a: header("A") }, "is not a string, integer or boolean"],
    [{ a: parameter, b: { type: "integer", ...header("REGION") } }, "several of its parameters have the x-mcp-header"],
    [{ a: { type: "array", items: parameter } }, "its schema has x-mcp-header elsewhere than at a parameter"],
    [{ a: { oneOf: [{ properties: { b: parameter } }] } }, "elsewhere than at a parameter"],
  ])("leaves a tool out that says so wrongly: %j", (properties, why) => {
    expect(withHeaders(properties)).toContain(why);
  });

  test("may be inside another one, and have any name", () => {
    const inner = { type: "object", properties: { region: parameter } };
    expect(withHeaders({ "x-mcp-header": inner, a: { type: "boolean", ...header("a") } })).toBe("none");
    expect(withHeaders({ a: { default: parameter, type: "string" } })).toBe("none");
    expect(withHeaders({}, { $defs: { a: parameter } })).toContain("elsewhere");
  });
});
