import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const source = fileURLToPath(new URL("../../src", import.meta.url));

test("the library of the screen is used in one place only", () => {
  const users = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((path) => {
    return path.endsWith(".ts") && readFileSync(join(source, path), "utf8").includes("@earendil-works/pi-tui");
  });
  expect(users.length).toBeGreaterThan(0);
  expect(users.filter((path) => !path.startsWith("tui/pi-tui/"))).toEqual([]);
});
