import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { convert } from "./convert.ts";

const folder = join(import.meta.dirname, "fixtures");
const names = readdirSync(folder).filter((name) => name.endsWith(".html"));

/** Pages written for this test, in the form of the sites that people ask about most. */
test.each(names)("converts %s", (name) => {
  const expected = readFileSync(join(folder, name.replace(".html", ".md")), "utf8");
  expect(`${convert(readFileSync(join(folder, name), "utf8"))}\n`).toBe(expected);
});

test("has pages", () => {
  expect(names.length).toBeGreaterThanOrEqual(7);
});
