import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { checkTool, conformance } from "../src/index.ts";

/** One sentence or more, or a command to run. */
const isAdvice = /^[A-Z].+(?:\.|: \S.+)$/;

/** `CHECK/NAME-tool`: tools that are good except for what this check looks at; and `good/`. */
const fixtures = join(import.meta.dirname, "fixtures");

// Only ikigai has a sandbox to try `needs` in: apps/cli/test/tool-needs.test.ts.
const ids = conformance.map(({ id }) => id).filter((id) => id !== "needs");
const broken = ids.flatMap((id) => readdirSync(join(fixtures, id)).map((name) => [id, name] as const));

test("there is a broken tool for every check", () => {
  expect(readdirSync(fixtures).sort()).toEqual([...ids, "good"].sort());
});

const isThorough = inject("isThorough");
/** In a quick run every eighth tool is tried, on what is wrong with it and on what that needs, and two on everything. */
const cases = broken
  .map(([id, name], index) => [id, name, isThorough || index % 40 === 0] as const)
  .filter((_, index) => isThorough || index % 8 === 0);

test.concurrent.each(cases)("only %s fails for %s", async (id, name, wholly) => {
  const { results } = await checkTool(join(fixtures, id, name), wholly ? {} : { only: [id] });
  const failed = results.filter(({ status }) => status === "failed");
  expect(failed.map((result) => result.id)).toEqual([id]);
  for (const { problem, advice } of failed) {
    expect(problem).toMatch(/\.$/);
    expect(advice).toMatch(isAdvice);
  }
});

const good = readdirSync(join(fixtures, "good"));
/** In a quick run every sixth of the good tools; `npm test` checks those that ship too. */
const tried = good.filter((_, index) => isThorough || index % 6 === 0);

test.concurrent.each(tried)("nothing fails for %s", async (name) => {
  const { ok, results } = await checkTool(join(fixtures, "good", name));
  expect(results.filter(({ status }) => status === "failed")).toEqual([]);
  expect(ok).toBe(true);
});
