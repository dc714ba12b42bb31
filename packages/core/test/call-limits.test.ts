import { maxTimeoutMs } from "@ikigai/protocol";
import { expect, test } from "vitest";
import { callLimits } from "../src/execution/call-limits.ts";
import type { RegisteredTool } from "../src/index.ts";

/** A tool whose schema says this beside its parameters. */
function toolSaying(ikigai: object): RegisteredTool {
  return {
    schema: { name: "a", description: "", parameters: { type: "object" }, ikigai },
  } as unknown as RegisteredTool;
}

test.each([
  [599_999, 599_999],
  [600_000, 600_000],
  [600_001, 600_000],
  [1e15, 600_000],
])("a model that asks for %i ms gets %i", (asked, got) => {
  const tool = toolSaying({ timeoutArgument: "timeout_ms" });
  expect(maxTimeoutMs).toBe(600_000);
  expect(callLimits(tool, { timeout_ms: asked }, {}).timeoutMs).toBe(got);
  // Also where the user's own setting is longer: what the model writes is not the user's word.
  expect(callLimits(tool, { timeout_ms: asked }, { timeoutMs: 900_000 }).timeoutMs).toBe(got);
});

test.each([
  [599_999, 599_999],
  [600_001, 600_000],
])("a schema that asks for %i ms gets %i", (asked, got) => {
  expect(callLimits(toolSaying({ timeoutMs: asked }), undefined, {}).timeoutMs).toBe(got);
});

test("the user may go beyond ten minutes, as far as a timer can", () => {
  expect(callLimits(toolSaying({}), {}, { timeoutMs: 900_000 }).timeoutMs).toBe(900_000);
  const longestMs = 2 ** 31 - 1;
  expect(callLimits(toolSaying({}), {}, { timeoutMs: longestMs }).timeoutMs).toBe(longestMs);
  expect(callLimits(toolSaying({}), {}, { timeoutMs: longestMs + 1 }).timeoutMs).toBe(longestMs);
});

test.each([0, -1, 1.5, "1000", null])("a call that asks for %j ms gets the user's limit", (asked) => {
  const tool = toolSaying({ timeoutArgument: "timeout_ms" });
  expect(callLimits(tool, { timeout_ms: asked }, { timeoutMs: 7_000 }).timeoutMs).toBe(7_000);
});
