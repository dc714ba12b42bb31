import { expect, expectTypeOf, test } from "vitest";
import { type AnswerValue, defineTool, type SchemaValue } from "../src/index.ts";

// What this file checks is that it compiles, and that what is marked does not.

const parameters = { type: "object", properties: { level: { type: "integer", default: 3 } } } as const;

const output = {
  type: "object",
  required: ["state"],
  properties: {
    state: { enum: ["on", "off"] },
    unit: { const: "W" },
    watts: { type: "integer", default: 0 },
    parts: { type: "array", items: { type: "object", properties: { state: { enum: ["on", "off"] } } } },
  },
} as const;

const lamp = { name: "lamp", description: "Switch a lamp", parameters, output } as const;

test("an answer may have the literals of enum and const as they are", async () => {
  const tools = [
    defineTool({ ...lamp, run: () => ({ state: "on", unit: "W" }) }),
    defineTool({ ...lamp, run: ({ level }) => ({ state: level > 2 ? "on" : "off", parts: [{ state: "off" }] }) }),
    defineTool({
      ...lamp,
      async run({ level }, { fail }) {
        if (level > 9) fail("INVALID_ARG", "Too bright");
        if (level === 0) return { state: "off" };
        const unit = "W";
        return { state: "on", watts: await level, unit, visual: [] };
      },
    }),
    // TypeScript does not look into the answer's own functions.
    defineTool({
      ...lamp,
      run: ({ level }) => ({ state: "on", parts: [level].map(() => ({ state: "on" }) as const) }),
    }),
  ];
  const context = { fail: () => expect.unreachable() } as never;
  expect(await Promise.all(tools.map((tool) => tool.run({ level: 3 }, context)))).toEqual([
    { state: "on", unit: "W" },
    { state: "on", parts: [{ state: "off" }] },
    { state: "on", watts: 3, unit: "W", visual: [] },
    { state: "on", parts: [{ state: "on" }] },
  ]);
});

test("an answer must still fit the schema", () => {
  // @ts-expect-error: not in the enum.
  defineTool({ ...lamp, run: () => ({ state: "dim" }) });
  // @ts-expect-error: not the constant.
  defineTool({ ...lamp, run: () => ({ state: "on", unit: "V" }) });
  // @ts-expect-error: required.
  defineTool({ ...lamp, run: () => ({ unit: "W" }) });
  // @ts-expect-error: not an integer.
  defineTool({ ...lamp, run: async () => ({ state: "on", watts: "3" }) });
});

test("an alias stands for a parameter that there is", () => {
  const run = () => ({ state: "on" }) as const;
  defineTool({ ...lamp, run, aliases: { brightness: "level" } });
  // @ts-expect-error: no parameter.
  defineTool({ ...lamp, run, aliases: { brightness: "lever" } });
});

test("a default is in the arguments, and need not be in the answer", () => {
  expectTypeOf<SchemaValue<typeof parameters>["level"]>().toEqualTypeOf<number>();
  expectTypeOf<AnswerValue<typeof output>["watts"]>().toEqualTypeOf<number | undefined>();
});
