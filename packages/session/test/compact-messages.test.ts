import { expect, test } from "vitest";
import { compactMessages } from "../src/log/rebuild.ts";

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

test("drops the images of results, also of short ones, and counts them as saved", () => {
  const images = [{ mediaType: "image/png", data: "x" }];
  const messages = [
    { ...result("short"), images },
    { ...result("x".repeat(5_000)), images },
    { ...result("kept"), images },
  ];
  expect(compactMessages(messages, 2).saved).toBeGreaterThan(10_000);
  expect(messages).toEqual([
    result("short"),
    { ...result(""), json: expect.any(String), shortened: true },
    { ...result("kept"), images },
  ]);
  expect(compactMessages(messages, 2).saved).toBe(0);
});
