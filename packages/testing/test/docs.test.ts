import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { conformance } from "../src/index.ts";
import { rules } from "../src/report-format.ts";

const protocol = readFileSync(new URL("../../../docs/protocol.md", import.meta.url), "utf8");

test("the protocol's table is the list of checks", () => {
  const [, rest = ""] = protocol.split("\n## 6. Conformance\n");
  const [section = ""] = rest.split("\n## ");
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  expect(rows).toEqual(conformance.map(({ id, level, title }) => `| \`${id}\` | ${level.toUpperCase()} | ${title} |`));
});

test("rule numbers are unique, in order, and references to them exist", () => {
  const rules = [...protocol.matchAll(/^\*\*(\d+)\.(\d+)\*\* /gm)].map(([, section, rule]) => [
    Number(section),
    Number(rule),
  ]);
  rules.forEach(([section = 0, rule = 0], index) => {
    const [before = 0, last = 0] = rules[index - 1] ?? [];
    expect([section, rule]).toEqual(section === before ? [before, last + 1] : [before + 1, 1]);
  });
  const numbers = rules.map((rule) => rule.join("."));
  for (const [, number] of protocol.matchAll(/\((\d+\.\d+)\)/g)) expect(numbers).toContain(number);
});

test("every check belongs to a rule", () => {
  const [, table = ""] = protocol.split("| rule | checks |\n|---|---|\n");
  const rows = (table.split("\n\n")[0] ?? "").split("\n").map((row) => row.split("|").slice(1, 3));
  const ids = rows.flatMap(([, checks = ""]) => checks.trim().split(", "));
  expect([...ids].sort()).toEqual(conformance.map(({ id }) => id).sort());
  const byId = rows.flatMap(([rule = "", checks = ""]) =>
    checks
      .trim()
      .split(", ")
      .map((id) => [id, rule.trim()]),
  );
  expect(Object.fromEntries(byId)).toEqual(rules);
  for (const rule of Object.values(rules)) expect(protocol).toContain(`\n**${rule}** `);
});
