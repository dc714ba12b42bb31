import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutEnd } from "../src/index.ts";

test("removes what an expression would", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("\r", "\n", "a", "é") }), (text) => {
      expect(withoutEnd(text, "\r\n")).toBe(text.replace(/[\r\n]+$/, ""));
    }),
  );
});

test("takes no time for a long run in the middle", () => {
  const run = "\n".repeat(10_000_000);
  const started = performance.now();
  expect(withoutEnd(`${run}x`, "\n")).toHaveLength(run.length + 1);
  expect(withoutEnd(`x${run}`, "\n")).toBe("x");
  expect(performance.now() - started).toBeLessThan(2_000);
});
