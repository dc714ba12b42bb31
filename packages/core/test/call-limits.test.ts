import { maxTimeoutMs } from "@ikigai/protocol";
import { expect, test } from "vitest";
import { callLimits } from "../src/call/arguments.ts";
import type { RegisteredTool } from "../src/index.ts";

/** A tool whose schema has these extensions. */
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
])("caps a model's request for %i ms at %i", (asked, got) => {
  const tool = toolSaying({ timeoutArgument: "timeout_ms" });
  expect(maxTimeoutMs).toBe(600_000);
  expect(callLimits(tool, { timeout_ms: asked }, {}).timeoutMs).toBe(got);
  // Even if the user's setting is longer: the model does not speak for the user.
  expect(callLimits(tool, { timeout_ms: asked }, { timeoutMs: 900_000 }).timeoutMs).toBe(got);
});

test.each([
  [599_999, 599_999],
  [600_001, 600_000],
])("caps a schema's request for %i ms at %i", (asked, got) => {
  expect(callLimits(toolSaying({ timeoutMs: asked }), undefined, {}).timeoutMs).toBe(got);
});

test("lets the user exceed ten minutes, up to the longest timer", () => {
  expect(callLimits(toolSaying({}), {}, { timeoutMs: 900_000 }).timeoutMs).toBe(900_000);
  const longestMs = 2 ** 31 - 1;
  expect(callLimits(toolSaying({}), {}, { timeoutMs: longestMs }).timeoutMs).toBe(longestMs);
  expect(callLimits(toolSaying({}), {}, { timeoutMs: longestMs + 1 }).timeoutMs).toBe(longestMs);
});

test.each([
  ["declared", {}, 65_536],
  ["declared", { answerBytes: 15_000 }, 15_000],
  ["declared", { answerBytes: 15_000, maxOutputBytes: 14_999 }, 14_999],
  [20_000, { answerBytes: 15_000 }, 20_000],
  [65_537, {}, 65_536],
  [undefined, { answerBytes: 15_000 }, undefined],
] as const)("with the setting %j, a schema with %j leaves a model %j bytes", (answerBytes, declared, bytes) => {
  expect(callLimits(toolSaying(declared), {}, { answerBytes }).answerBytes).toBe(bytes);
});

test.each([0, -1, 1.5, "1 s", null])("uses the user's limit if a call asks for %j ms", (asked) => {
  const tool = toolSaying({ timeoutArgument: "timeout_ms" });
  expect(callLimits(tool, { timeout_ms: asked }, { timeoutMs: 7_000 }).timeoutMs).toBe(7_000);
});
