import { expect, test } from "vitest";
import { withoutMarkdown } from "../src/render/call/render-brief.ts";

test.each([
  ["**Which** database?", "Which database?"],
  ["## Which *one*, `a` or **b**?", "Which one, a or b?"],
  ["**Use `x**y`?**", "Use x**y?"],
])("%j is %j without marks", (text, expected) => {
  expect(withoutMarkdown(text)).toBe(expected);
});

test.each([
  "Search src/**/*.ts and test/**/*.ts?",
  "2**10 or 2**20?",
  "a**b**c",
  "rm *.o and *.a?",
  "**/node_modules/**",
  "*/5 * * * *",
  "#hash #{1}",
])("%j stays as it is", (text) => {
  expect(withoutMarkdown(text)).toBe(text);
});
