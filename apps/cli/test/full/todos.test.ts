// @module-tag sampled
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import type { Step } from "../model-server.ts";
import { openFullScreen } from "../terminal.ts";
import { openFull } from "./open-full.ts";

const todo = (...items: [string, string][]): Step => ({
  calls: [{ name: "todo", arguments: { items: items.map(([text, status]) => ({ text, status })) } }],
});

const rule = "─".repeat(100);

test("the list is above the input while a task is open, without a question", async () => {
  const steps = [todo(["Read \u001b[2Jit", "done"], ["Write it", "doing"]), { text: "Wrote." }];
  const { terminal } = await openFull([
    ...steps,
    todo(["Read it", "done"], ["Write it", "done"]),
    { text: "All done." },
  ]);
  terminal.type("go\r");
  await terminal.waitFor("Wrote.");
  expect(terminal.steadyScreen()).toContain(`  [x] Read ␛[2Jit\n  [>] Write it\n${rule}`);
  terminal.type("/todos\r");
  await terminal.waitFor("Tasks: 1 of 2 done");
  terminal.type("on\r");
  await terminal.waitFor("All done.");
  expect(terminal.steadyScreen()).not.toContain(`[x] Write it\n${rule}`);
  terminal.type("/new\r");
  await terminal.waitFor("›");
  terminal.type("/todo\r");
  await terminal.waitFor("No tasks.");
});

test("a long list leaves room: what is done at its start is left out", async () => {
  const items = Array.from({ length: 30 }, (_, n): [string, string] => [`task ${n}.`, n < 10 ? "done" : "open"]);
  const { terminal } = await openFull([todo(...items), { text: "Wrote." }], { rows: 24 });
  terminal.type("go\r");
  await terminal.waitFor("Wrote.");
  const screen = terminal.screen();
  expect(screen).toContain(`  [ ] task 10.\n`);
  expect(screen).toContain(`  [ ] task 16.\n  … 23 more: /todos\n${rule}`);
  expect(screen.split(rule)[0]?.trimEnd().endsWith("task 17.")).toBe(false);
});

test("/todos clear removes the list", async () => {
  const { terminal } = await openFull([todo(["Write it", "open"]), { text: "Wrote." }]);
  terminal.type("go\r");
  await terminal.waitFor(`  [ ] Write it\n${rule}`);
  await terminal.waitFor("Wrote.");
  terminal.type("/todos clear\r");
  await terminal.waitFor("No tasks.");
  expect(terminal.steadyScreen()).not.toContain(`[ ] Write it\n${rule}`);
});

test("a resumed session has its list, and a damaged file none", async () => {
  const home = await tempDir();
  const cwd = await tempDir();
  const { terminal, model } = await openFull([todo(["Write it", "open"]), { text: "Wrote." }], {
    cwd,
    env: { HOME: home },
  });
  terminal.type("go\r");
  await terminal.waitFor("Wrote.");
  terminal.type("/status\r");
  const session = /session +([\w-]{20,})/.exec(await terminal.waitFor(/session +[\w-]{20,}/))?.[1] ?? "";
  terminal.type("/quit\r");
  await terminal.exitCode;
  const options = { cwd, env: { HOME: home, ...model.env } };
  const again = await openFullScreen(["--model", "openai-compatible/m", "--resume", session], options);
  await again.waitFor(`  [ ] Write it\n${rule}`);
  again.type("/quit\r");
  await again.exitCode;
  const directory = join(home, ".ikigai/sessions", `${session}.state`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(
    join(directory, "todo.json"),
    '{"items":[{"text":5,"status":"open"},{"text":"a","status":"__proto__"}]}',
  );
  const damaged = await openFullScreen(["--model", "openai-compatible/m", "--resume", session], options);
  await damaged.waitFor(/openai-compatible\/m/);
  expect(damaged.steadyScreen()).not.toContain("[ ]  ");
  damaged.type("/todos\r");
  await damaged.waitFor("No tasks.");
});
