import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const table = readFileSync(join(root, "docs/appendix/reliability.md"), "utf8");

test("every fault has a number, a test and a result", () => {
  const rows = table.split("\n").flatMap((line) => {
    const [, number, ...cells] = line.split(/\s*\|\s*/);
    return /^\d+$/.test(number ?? "") ? [{ number: Number(number), cells: cells.slice(0, 4) }] : [];
  });
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 118 }, (_, index) => index + 1));
  for (const { number, cells } of rows) {
    const [fault, outcome, tests, result] = cells;
    expect([number, fault && outcome && result]).toEqual([number, expect.stringMatching(/^holds/)]);
    expect([number, tests]).toEqual([number, expect.stringMatching(/^(`[\w./-]+\.test\.ts > [^`]+`(<br>)?)+$/)]);
  }
});

test("every named test exists", () => {
  const named = [...table.matchAll(/`([\w./-]+\.test\.ts) > ([^`]+)`/g)].map(([, path = "", title = ""]) => ({
    path,
    title,
  }));
  expect(named.length).toBeGreaterThan(108);
  const isThere = ({ path, title }: { path: string; title: string }) =>
    existsSync(join(root, path)) && readFileSync(join(root, path), "utf8").includes(title);
  expect(named.filter((one) => !isThere(one))).toEqual([]);
});

test.each(["SECURITY.md", "docs/appendix/promises.md"])("every test file that %s names is there", (page) => {
  const named = [...readFileSync(join(root, page), "utf8").matchAll(/`([\w./-]+\.test\.ts)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
