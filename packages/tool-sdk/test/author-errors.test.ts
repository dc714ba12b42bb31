// @module-tag sampled
import { call } from "@ikigai/testing";
import { expect, test } from "vitest";
import { lastRead } from "../src/fit-answer.ts";
import { buildSources, schema, sdk, toolSource } from "./built-sources.ts";

/** Calls a tool of this answer, whose output has this schema of `said`, under a host with all methods. */
async function answering(said: string, { type = '{ type: "string" }', code = "", fields = "" } = {}) {
  const { bin, ...end } = await buildSources({
    "src/schema.ts": schema.replace('{ type: "string" }', type),
    "src/tool.ts": toolSource(code, said, fields),
  });
  expect(end).toEqual({ status: 0, stderr: "" });
  return call(bin, {}, { env: { IKIGAI_HOST_METHODS: "ask show" } });
}

test.each([
  ["ask", 'ask({ question: "Really?" })'],
  ["show", "show({})"],
])("%s says that the tool does not declare it", async (method, expression) => {
  const code = `import { ${method} } from ${JSON.stringify(sdk)};`;
  const { exitCode, stderr } = await answering(`await ${expression}`, { code });
  expect(stderr).toMatch(
    new RegExp(`^Error: ${method} needs ikigai: \\{ host: \\["${method}"\\] \\} in defineTool\\.\n`),
  );
  expect(exitCode).toBe(1);
});

test("ask says that there is no user if the tool declares it and the host has none", async () => {
  const { bin } = await buildSources({
    "src/tool.ts": toolSource(
      `import { ask } from ${JSON.stringify(sdk)};`,
      "await ask({})",
      'ikigai: { host: ["ask"] },',
    ),
  });
  expect((await call(bin, {})).result).toEqual({ error: "There is no user to ask here.", error_code: "NO_USER" });
});

const integers =
  '{ type: "object", properties: { n: { type: "number" }, list: { type: "array", items: { type: "integer" } } } }';

test.each([
  [
    "{ n: 1.5, list: [1, 1.5, 2] }",
    integers,
    /^TypeError: Cannot print "said\.list\.1" in the answer: Expected an integer, got 1\.5 \(number\)\.\n/,
  ],
  [
    "{ n: NaN, list: [] }",
    integers,
    /^TypeError: Cannot print "said\.n" in the answer: The value "NaN" cannot be converted to a number\.\n/,
  ],
  ["{ list: {} }", integers, /^TypeError: Cannot print "said\.list" in the answer: /],
  ["[{ a: 1n }]", "{}", /^TypeError: Cannot print "said\.0\.a" in the answer: .*BigInt\n/],
])("an answer of %s names what cannot be printed", async (said, type, reason) => {
  const { exitCode, stderr } = await answering(said, { type });
  expect(stderr).toMatch(reason);
  expect(exitCode).toBe(1);
});

test.each([
  ["undefined", "undefined"],
  ["null", "null"],
  ['["a"]', '["a"] (array)'],
])("an answer that is %s is named", async (answer, name) => {
  const { bin } = await buildSources({ "src/tool.ts": toolSource("").replace('({ said: "yes" })', answer) });
  expect((await call(bin, {})).stderr).toContain(`TypeError: Expected run to return an object, got ${name}.\n`);
});

test("the last part that was read is where a serializer fails", () => {
  const failing = (answer: unknown) => {
    const { a, b } = answer as { a: { list: number[] }; b: { at: Date } };
    for (const item of a.list) if (item === 2) throw new Error(String(b.at.getTime()));
    return "";
  };
  expect(lastRead({ a: { list: [1, 3] }, b: { at: new Date(0) } }, failing)).toEqual(["a", "list", "1"]);
  expect(lastRead({ a: { list: [1, 2] }, b: { at: new Date(0) } }, failing)).toEqual(["b", "at"]);
});
