// @module-tag sampled
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { askingHome } from "../asking-home.ts";
import { hasBubblewrap } from "../has-bubblewrap.ts";
import { until } from "../ikigai.ts";
import { keys, openFull } from "./open-full.ts";

test("Esc stops a call in under two seconds of the call's own clock, and keeps its output", async () => {
  const cwd = await tempDir();
  // On a busy machine this clock is slow too.
  const command = "echo begun; while :; do echo tick >> ticks; sleep 0.1; done";
  const ticks = () => readFileSync(join(cwd, "ticks"), "utf8").split("\n").length;
  const { terminal } = await openFull([{ calls: [{ name: "bash", arguments: { command } }] }], {
    cwd,
    args: ["--allow", "bash"],
  });
  terminal.type("go\r");
  await terminal.waitFor(/done\n[\s\S]*begun\n {2}\d s/);
  const before = ticks();
  terminal.type(keys.escape);
  await terminal.waitFor("Interrupted. Changes made so far are kept.");
  expect(ticks() - before).toBeLessThan(20);
  expect(terminal.screen()).toMatch(/\n {2}begun\n {2}stopped · /);
});

test("an interruption speaks of changes only after a call that may have made some", async () => {
  const read = { calls: [{ name: "glob", arguments: { pattern: "*" } }] };
  const run = { calls: [{ name: "bash", arguments: { command: "touch x" } }] };
  const { terminal } = await openFull([read, { text: "So", hangs: true }, run, { text: "And", hangs: true }], {
    cwd: await tempDir({ "a.txt": "" }),
    args: ["--allow", "bash"],
  });
  terminal.type("look\r");
  await terminal.waitFor("\n◆ So\n");
  terminal.type(keys.escape);
  await terminal.waitFor("\nInterrupted.\n");
  terminal.type("write\r");
  await terminal.waitFor("\n◆ And\n");
  terminal.type(keys.escape);
  await terminal.waitFor("\nInterrupted. Changes made so far are kept.\n");
});

test("shows a tool's progress as a bar", async () => {
  const home = await tempDir();
  const schema = '{"name":"steps","description":"d","parameters":{"type":"object","properties":{}}}';
  const content = `#!/bin/sh
if [ "$1" = --schema ]; then echo '${schema}'; exit; fi
cat > /dev/null
echo '{"progress":3,"total":6,"message":"half of it"}' >&3
while [ ! -e go ]; do sleep 0.1; done
echo '{"output":"done"}'
`;
  const cwd = await tempDir();
  const tools = await tempDir({ "steps-tool": { content, mode: 0o755 } });
  const { terminal } = await openFull([{ calls: [{ name: "steps", arguments: {} }] }, { text: "Well." }], {
    cwd,
    args: ["--allow", "steps", "--allow", "bash"],
    env: { HOME: home, IKIGAI_TOOL_PATH: tools },
  });
  terminal.type("go\r");
  await terminal.waitFor("██████████░░░░░░░░░░ 50 % · half of it · ");
  terminal.type("!!touch go\r");
  terminal.type(keys.escape);
  expect(existsSync(join(cwd, "go"))).toBe(false);
  await terminal.waitFor("Interrupted.");
});

test("Ctrl-O shows calls in full, and closing it restores the screen", async () => {
  const calls = [{ name: "bash", arguments: { command: "seq 1 200" } }];
  const { terminal } = await openFull([{ calls }, { text: "Counted." }], { args: ["--allow", "bash"] });
  terminal.type("count\r");
  await terminal.waitFor("Counted.");
  const before = terminal.screen();
  expect(before).toContain("  4\n  … 193 lines   ctrl-o\n  198\n");
  terminal.type(keys.ctrlO);
  await terminal.waitFor(/ {2}170\n[\s\S]* {2}200\n {2}exit 0/);
  terminal.type("g");
  await terminal.waitFor("command: seq 1 200");
  terminal.type("q");
  await terminal.waitFor("Counted.");
  expect(terminal.screen()).toBe(before);
});

test("Ctrl-O follows a running call, keeps the place of one who has scrolled up, and has thoughts", async () => {
  const command = "for i in $(seq 1 150); do echo line $i; sleep 0.02; done";
  const calls = [{ name: "bash", arguments: { command } }];
  const steps = [{ reasoning: "**Counting** comes first.", calls }, { text: "Counted." }];
  const { terminal } = await openFull(steps, { args: ["--allow", "bash"] });
  terminal.type("count\r");
  await terminal.waitFor(/ {2}line \d/);
  terminal.type(keys.ctrlO);
  await terminal.waitFor(/thought for [\s\S]*Counting comes first\.\n[\s\S]*line \d+\n {2}running\n/);
  const shown = () => Number(/line (\d+)\n {2}running/.exec(terminal.screen())?.[1]);
  const before = shown();
  await until(() => shown() > before, "more lines");
  await terminal.waitFor(/line 150\n {2}exit 0/);
  terminal.type("g");
  await terminal.waitFor("Counting comes first.");
  terminal.type("q");
  await terminal.waitFor("Counted.");
});

test("in Ctrl-O / searches, n and N go on, and tab goes from call to call", async () => {
  const bash = (command: string) => ({ name: "bash", arguments: { command } });
  const steps = [{ calls: [bash("seq 1 100")] }, { calls: [bash("seq 101 200; echo the Needle")] }, { text: "Done." }];
  const { terminal } = await openFull(steps, { args: ["--allow", "bash"] });
  terminal.type("count\r");
  await terminal.waitFor("Done.");
  terminal.type(keys.ctrlO);
  await terminal.waitFor("the Needle");
  terminal.type("g");
  await terminal.waitFor("command: seq 1 100");
  terminal.type("/needle\r");
  await terminal.waitFor(/^ {4}command: seq 101 200; echo the Needle\n/);
  expect(terminal.raw()).toContain("echo the \u001b[7mNeedle\u001b[27m");
  terminal.type("n");
  await terminal.waitFor(/ {2}the Needle\n/);
  terminal.type("g/99\r");
  await terminal.waitFor(/^ {2}99\n/);
  terminal.type("n");
  await terminal.waitFor(/^ {2}199\n|\n {2}199\n/);
  terminal.type("N");
  await terminal.waitFor(/^ {2}99\n/);
  terminal.type("/nowhere\r");
  await terminal.waitFor("no match for nowhere");
  terminal.type("g\t");
  await terminal.waitFor(/^● bash\n {4}command: seq 101/);
  terminal.type("\u001b[Z");
  await terminal.waitFor(/^● bash\n {4}command: seq 1 100/);
  terminal.type("q");
  await terminal.waitFor("Done.");
});

test("Shift-Tab cycles through the modes, and a plan is carried out only when accepted", async () => {
  const cwd = await tempDir();
  const write = { name: "file_write", arguments: { file_path: "a.txt", content: "a\n" } };
  const { terminal, model } = await openFull(
    [
      { text: "The plan:\n\n1. write a.txt\n2. look at it\n\nThe plan is complete." },
      { calls: [write] },
      { text: "Written." },
    ],
    { cwd },
  );
  const second = hasBubblewrap ? "auto" : "allow edits";
  terminal.type(keys.shiftTab);
  await terminal.waitFor(`\n${second} · `);
  terminal.type(keys.shiftTab);
  await terminal.waitFor("\nplan · ");
  terminal.type("make a plan\r");
  await terminal.waitFor(/Carry out this plan\?.*\n› y {2}yes, and ask before each change\n/);
  expect(model.requests).toHaveLength(1);
  terminal.type("a");
  await terminal.waitFor("Written.");
  expect(terminal.screen()).toContain("› Carry out the plan.");
  expect(existsSync(join(cwd, "a.txt"))).toBe(true);
  expect(terminal.screen()).toContain(`\n${second} · `);
  terminal.type(`${keys.shiftTab}${keys.shiftTab}`);
  await terminal.waitFor(hasBubblewrap ? "\nask · " : "\nallow all · ");
});

test("Esc at a question stops all pending calls, and the next input is a message", async () => {
  const calls = [1, 2].map((n) => ({ name: "bash", arguments: { command: `echo "<$((${n} + 40))>"` } }));
  const { terminal, model } = await openFull([{ calls }, { text: "Understood." }]);
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  terminal.type(keys.escape);
  await terminal.waitFor("Interrupted.");
  terminal.type("yes, but look first\r");
  await terminal.waitFor("Understood.");
  expect(terminal.screen()).not.toMatch(/<4\d>/);
  expect(model.requests).toHaveLength(2);
  expect(model.requests[1]?.messages.at(-1)?.content).toBe("yes, but look first");
});

test("Esc returns from the reason to the question", async () => {
  const { terminal } = await openFull([
    { calls: [{ name: "bash", arguments: { command: "echo ran" } }] },
    { text: "Fine." },
  ]);
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  terminal.type("e");
  await terminal.waitFor("Why, or what instead?");
  terminal.type("it is long");
  terminal.type(keys.escape);
  await terminal.waitFor("Run bash?");
  terminal.type("e");
  await terminal.waitFor("Why, or what instead? it is long");
  terminal.type(keys.escape);
  await terminal.waitFor("Run bash?");
  terminal.type("y");
  await terminal.waitFor("Fine.");
  expect(terminal.screen()).toContain("  ran\n");
});

test("edits a rule at any position, also over several rows", async () => {
  const home = await askingHome();
  const { terminal } = await openFull([], { env: { HOME: home }, columns: 75 });
  terminal.type("/permissions\r");
  await terminal.waitFor("add an allow rule");
  terminal.type("add an allow\r");
  await terminal.waitFor("Rule (allow)");
  terminal.type(`bash(echo one wide ${"x".repeat(60)} end)`);
  await terminal.waitFor(/: bash\(echo one wide x+\n/);
  // To "one", over it, and delete everything after it.
  const [home_, right, left, altRight] = ["\u001b[H", "\u001b[C", "\u001b[D", "\u001bf"];
  terminal.type(`${home_}${altRight}${right.repeat(2)}${left}日\u007f*${"\u001b[3~".repeat(3)}`);
  await terminal.waitFor(/: bash\(echo \* wide x+\n/);
  terminal.type(`${altRight}\u000b)\r`);
  await terminal.waitFor(/Permissions[\s\S]*allow bash\(echo \* wide\)/);
  const config = JSON.parse(readFileSync(join(home, ".ikigai/config.json"), "utf8"));
  expect(config.permission.rules).toEqual([{ allow: "bash(echo * wide)" }]);
});
