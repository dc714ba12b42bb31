// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { startModel } from "../model-server.ts";
import { openTerminal } from "../terminal.ts";
import { openFull, rule } from "./open-full.ts";

const todo = (...done: readonly boolean[]) => ({
  calls: [
    {
      name: "todo",
      arguments: { items: done.map((isDone, at) => ({ text: `Task ${at + 1}`, status: isDone ? "done" : "open" })) },
    },
  ],
});

test("a change of the list is one line while the list is above the input; once all is done, the list follows", async () => {
  const steps = [todo(false, false, false), todo(true, true, false), { text: "Nearly." }];
  const { terminal } = await openFull([...steps, todo(true, true, true), { text: "All done." }]);
  terminal.type("go\r");
  const screen = await terminal.waitFor("Nearly.");
  expect(screen).toContain("› go\n\n● todo  0 of 3 done\n● todo  2 of 3 done\n\n◆ Nearly.");
  expect(screen).toContain(`  [x] Task 1\n  [x] Task 2\n  [ ] Task 3\n${rule}`);
  expect(screen.match(/Task 3/g)).toHaveLength(1);
  terminal.type("on\r");
  const after = await terminal.waitFor("All done.");
  expect(after).toContain("● todo  3 of 3 done\n  [x] Task 1\n  [x] Task 2\n  [x] Task 3\n\n◆ All done.");
});

test("a list that is refused says why", async () => {
  const empty = { calls: [{ name: "todo", arguments: { items: [{ text: " ", status: "open" }] } }] };
  const { terminal } = await openFull([empty, { text: "Over." }]);
  terminal.type("go\r");
  expect(await terminal.waitFor("Over.")).toMatch(/✗ todo {2}1 task\n {2}Task 1 is empty\./);
});

test("in lines the whole list is shown each time", async () => {
  const { env } = await startModel([todo(true, false), todo(true, true), { text: "Over." }]);
  const terminal = await openTerminal(["--model", "openai-compatible/m"], {
    cwd: await tempDir(),
    env: { HOME: await tempDir(), ...env },
  });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  const screen = await terminal.waitFor("Over.");
  for (const last of ["[ ]", "[x]"]) expect(screen).toContain(`● todo  2 tasks\n  [x] Task 1\n  ${last} Task 2\n`);
});
