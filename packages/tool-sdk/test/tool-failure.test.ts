import { expect, expectTypeOf, test } from "vitest";
import { defineTool, type ToolContext, type ToolErrorCode, ToolFailure } from "../src/index.ts";

const schema = { type: "object", properties: { text: { type: "string" } } } as const;
const definition = { name: "x", description: "Do x", parameters: schema, output: schema } as const;

test("fail takes the protocol's codes and the tool's own, and no other", () => {
  defineTool({
    ...definition,
    errorCodes: ["RATE_LIMITED", "QUOTA_USED_UP"],
    run(_, { fail }) {
      expectTypeOf(fail).parameter(0).toEqualTypeOf<ToolErrorCode | "RATE_LIMITED" | "QUOTA_USED_UP">();
      // @ts-expect-error: misspelt.
      return fail("RATE_LIMITD", "Too many requests");
    },
  });
  defineTool({
    ...definition,
    run(_, { fail }) {
      expectTypeOf(fail).parameter(0).toEqualTypeOf<ToolErrorCode>();
      // @ts-expect-error: not declared.
      return fail("RATE_LIMITED", "Too many requests");
    },
  });
});

test("a ToolFailure takes the protocol's codes, and another one only when it is named", () => {
  expect(new ToolFailure("NOT_FOUND", "Nothing there").code).toBe("NOT_FOUND");
  expect(new ToolFailure<"RATE_LIMITED">("RATE_LIMITED", "Too many requests").code).toBe("RATE_LIMITED");
  // @ts-expect-error: misspelt.
  expect(new ToolFailure("NOT_FUOND", "Nothing there").code).toBe("NOT_FUOND");
  // @ts-expect-error: misspelt.
  expect(new ToolFailure<"RATE_LIMITED">("RATE_LIMITD", "Too many requests").code).toBe("RATE_LIMITD");
});

test("the types of arguments and answer still come from the schemas when error codes are declared", () => {
  const tool = defineTool({
    ...definition,
    errorCodes: ["OWN"],
    run({ text = "" }, context) {
      expectTypeOf(text).toEqualTypeOf<string>();
      expectTypeOf(context).toEqualTypeOf<ToolContext<ToolErrorCode | "OWN">>();
      return { text };
    },
  });
  expectTypeOf(tool.run).returns.extract<{ text?: string }>().not.toBeNever();
});
