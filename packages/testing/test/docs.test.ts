import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { conformance } from "../src/index.ts";

const protocol = readFileSync(new URL("../../../docs/protocol.md", import.meta.url), "utf8");

test("the protocol's table is the list of checks", () => {
  const [, section = ""] = protocol.split("\n## 6. Conformance\n");
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  expect(rows).toEqual(conformance.map(({ id, level, title }) => `| \`${id}\` | ${level.toUpperCase()} | ${title} |`));
});
