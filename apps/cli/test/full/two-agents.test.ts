import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { agentStep, bashStep, nextStep } from "../agents-world.ts";
import { some, until } from "../ikigai.ts";
import { openFull } from "./open-full.ts";

const waiting = (name: string) => `touch ${name}; until [ -e go ]; do sleep 0.05; done`;

test.each(
  some(2, [
    {
      columns: 100,
      first: '● agent "COUNT the tests of the parser…" · 1 call',
      second: '● agent reviewer "READ the diff" · 1 call',
    },
    { columns: 40, first: '● agent "COUNT the t…" · 1 call', second: '● agent reviewer "READ the di…" · ' },
  ]),
)("two running agents are told apart by their tasks at $columns columns", async ({ columns, first, second }) => {
  const two = [
    ...(agentStep("COUNT the tests of the parser\nand of the lexer, and say which are slow").calls ?? []),
    ...(agentStep("READ the diff", { agent: "reviewer" }).calls ?? []),
  ];
  const scripts = {
    PARENT: [{ calls: two }, { text: "Over." }],
    COUNT: [bashStep(waiting("one")), { text: "First." }],
    READ: [bashStep(waiting("two")), { text: "Second." }],
  };
  const cwd = await tempDir();
  const HOME = await tempDir({ ".ikigai/agents/reviewer.md": "---\ndescription: Reviews.\n---\nReview." });
  const { terminal } = await openFull((request) => nextStep(scripts, request), {
    ...{ cwd, columns },
    args: ["--allow", "agent", "--allow", "bash"],
    env: { HOME },
  });
  terminal.type("PARENT\r");
  await until(() => existsSync(join(cwd, "one")) && existsSync(join(cwd, "two")), "both agents");
  await terminal.waitFor(first);
  const rows = (await terminal.waitFor(/"COUNT[\s\S]*"READ/)).split("\n").filter((row) => row.startsWith("● agent"));
  expect(rows.map((row, at) => row.slice(0, [first, second][at]?.length))).toEqual([first, second]);
  expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(columns);
  writeFileSync(join(cwd, "go"), "");
  await terminal.waitFor("Over.");
});
