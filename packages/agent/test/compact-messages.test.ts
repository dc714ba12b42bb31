import { expect, test } from "vitest";
import { compactMessages } from "../src/session/compact-messages.ts";

const result = (output: string) => ({
  role: "tool" as const,
  id: "c1",
  name: "look",
  json: JSON.stringify({ tool_success: true, result: { output } }),
});

test("shortens a result once, however long its note is", () => {
  const messages = [result("x".repeat(5_000))];
  const directory = `/${"long-name/".repeat(60)}`;
  expect(compactMessages(messages, 1, directory).leftOut).toHaveLength(1);
  const once = structuredClone(messages);
  expect(compactMessages(messages, 1, directory)).toEqual({ saved: 0, leftOut: [] });
  expect(messages).toEqual(once);
});

test("shortens a result that looks like such a note like any other", () => {
  const messages = [result(`(5000 characters left out to save room; ${"x".repeat(600)})`)];
  expect(compactMessages(messages, 1).saved).toBeGreaterThan(400);
});
