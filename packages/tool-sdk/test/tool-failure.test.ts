import type { ToolErrorCode } from "@ikigai/protocol";
import { expect, expectTypeOf, test } from "vitest";
import { ToolFailure } from "../src/index.ts";

test("a tool may use error codes of its own", () => {
  expect(new ToolFailure("RATE_LIMITED", "Try again in a minute").code).toBe("RATE_LIMITED");
  expectTypeOf<ToolErrorCode>().toExtend<ToolFailure["code"]>();
});
