import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { everyCheck } from "../src/checks/check-tool.ts";
import { pageOf, rules } from "../src/report/check-command.ts";

const pages = ["protocol.md", "protocol-answers.md", "protocol-processes.md", "protocol-host.md", "plain-tools.md"];
const text = (page: string) => readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8");
const protocol = pages.map(text).join("");

test("rule numbers are unique, in order, and references to them exist", () => {
  const found = [...protocol.matchAll(/^\*\*(\d+)\.(\d+)\*\* /gm)].map(([, section, rule]) => [
    Number(section),
    Number(rule),
  ]);
  found.forEach(([section = 0, rule = 0], index) => {
    const [before = 0, last = 0] = found[index - 1] ?? [];
    expect([section, rule]).toEqual(section === before ? [before, last + 1] : [before + 1, 1]);
  });
  const numbers = found.map((rule) => rule.join("."));
  for (const [, number] of protocol.matchAll(/[([](\d+\.\d+)[\])]/g)) expect(numbers).toContain(number);
});

test("every check belongs to a rule of the page that a failure names", () => {
  expect(Object.keys(rules).sort()).toEqual(everyCheck.map(({ id }) => id).sort());
  for (const rule of Object.values(rules)) expect(text(pageOf(rule))).toContain(`\n**${rule}** `);
});

/** The words of pages, examples apart. */
const wordsIn = (text: string) => text.replaceAll(/^```.*?^```/gms, "").match(/\S*\w\S*/g)?.length;

/** A page that is read before a first tool or host is written, and the reference for all that a host may offer besides. */
test("level 0 and all levels stay short", () => {
  expect(wordsIn(text("protocol.md"))).toBeLessThanOrEqual(900);
  expect(
    wordsIn(
      pages
        .filter((page) => page !== "plain-tools.md")
        .map(text)
        .join(""),
    ),
  ).toBeLessThanOrEqual(5_000);
});
