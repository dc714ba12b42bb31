// Promise 5 of SECURITY.md.
// @module-tag sampled
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

const down = "\u001b[B";
const up = "\u001b[A";
const tab = "\t";
const bash = (command: string) => ({ name: "bash", arguments: { command } });

test.each([
  { columns: 120, rows: 40 },
  { columns: 80, rows: 24 },
])("the arrows choose an answer, and Enter takes it ($columns x $rows)", async (size) => {
  const cwd = await tempDir();
  const { terminal, model } = await openFull([{ calls: [bash("touch ran")] }, { text: "Well." }], { cwd, ...size });
  terminal.type("go\r");
  await terminal.waitFor(/Run bash\?\n› y {2}once\n {2}s {2}this session {3}no more questions about this command\n/);
  terminal.type(up);
  await terminal.waitFor("› e  no, and say why");
  terminal.type(down);
  await terminal.waitFor("› y  once");
  terminal.type(down + down + down + down);
  await terminal.waitFor("› t  change the command first");
  terminal.type(down);
  await terminal.waitFor("› n  no");
  terminal.type("\r");
  await terminal.waitFor("Well.");
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("The user denied this call.");
});

test("a digit does what the letter of its answer does", async () => {
  const cwd = await tempDir();
  const { terminal } = await openFull([{ calls: [bash("touch ran")] }, { text: "Well." }], { cwd });
  terminal.type("go\r");
  await terminal.waitFor("› y  once");
  terminal.type("3");
  await terminal.waitFor(/enter takes the marked answer\n[\s\S]*› r {2}always in this project/);
  terminal.type("9");
  await terminal.waitFor("Run bash?  9");
  terminal.type("\u007f6");
  await terminal.waitFor("Well.");
  expect(existsSync(join(cwd, "ran"))).toBe(false);
});

test("a rule that is wider than the screen wraps", async () => {
  const command = `node scripts/generate.mjs ${["--source packages/alpha/src", "--target packages/beta/src"].join(" ")}`;
  const { terminal } = await openFull([{ calls: [bash(command)] }, { text: "Well." }], { columns: 80, rows: 24 });
  terminal.type("go\r");
  const screen = await terminal.waitFor("no, and say why");
  const [, rule = ""] = /always in this project: ([\s\S]*?)\n {2}g /.exec(screen) ?? [];
  expect(rule.replace(/\n +/g, " ")).toBe(`bash(${command})`);
});

describe("Shift-Tab", () => {
  const write = (name: string) => ({ name: "file_write", arguments: { file_path: name, content: "a\n" } });

  test("at a change of a file allows edits, and the changes that wait run as well", async () => {
    const cwd = await tempDir();
    const { terminal } = await openFull([{ calls: [write("a"), write("b")] }, { text: "Well." }], { cwd });
    terminal.type("go\r");
    await terminal.waitFor("m  allow edits in the project   also with shift-tab");
    terminal.type(keys.shiftTab);
    await terminal.waitFor("Well.");
    expect(readdirSync(cwd).sort()).toEqual(["a", "b"]);
    expect(terminal.screen()).toContain("\nallow edits · ");
  });

  test("in the draft changes the mode, and a question that the mode answers closes", async () => {
    const cwd = await tempDir();
    const { terminal } = await openFull([{ calls: [bash("touch ran")] }, { text: "Well." }], { cwd });
    terminal.type("go\r");
    await terminal.waitFor("Run bash?");
    terminal.type(keys.shiftTab);
    await terminal.waitFor("bash waits for your answer");
    terminal.type("/permissions allow\r");
    await terminal.waitFor("Well.");
    expect(existsSync(join(cwd, "ran"))).toBe(true);
  });
});

/** Time to read a question: Enter counts afterwards. */
test("Enter runs the call once", async () => {
  const cwd = await tempDir();
  const { terminal } = await openFull([{ calls: [bash("touch ran")] }, { text: "Well." }], { cwd });
  terminal.type("go\r");
  await terminal.waitFor("› y  once");
  terminal.type("\r");
  await terminal.waitFor("Well.");
  expect(existsSync(join(cwd, "ran"))).toBe(true);
});

test("on a small screen the answers are side by side, without colours, too", async () => {
  const size = { columns: 40, rows: 15, env: { NO_COLOR: "1", FORCE_COLOR: undefined } };
  const { terminal } = await openFull([{ calls: [bash("touch ran")] }, { text: "Well." }], size);
  terminal.type("go\r");
  await terminal.waitFor(
    /Run bash\? {3}› y once {3}s this session\n {2}r always in this project: bash\(touch…\n {2}g always, in all projects\n {2}t change the command first {3}n no\n {2}e no, and say why/,
  );
  terminal.type(`${up}\r`);
  await terminal.waitFor("Why, or what instead?");
});

test("the wide rule is offered and saved for this project, and Tab narrows it", async () => {
  const home = await tempDir({ ".ikigai/": "" });
  const cwd = await tempDir({ "package.json": '{"scripts":{"say":"echo said"}}' });
  const calls = ["npm run say --silent", "npm run say --silent -- 2"].map((command) => ({ calls: [bash(command)] }));
  const { terminal } = await openFull([...calls, { text: "Well." }], { cwd, env: { HOME: home } });
  terminal.type("go\r");
  await terminal.waitFor("r  always in this project: bash(npm run say *)");
  expect(terminal.screen()).toMatch(/Run bash\? +tab changes the rule/);
  expect(terminal.screen()).toContain("g  always, in all projects");
  terminal.type("\t");
  await terminal.waitFor("r  always in this project: bash(npm run say --silent)");
  terminal.type("\t");
  await terminal.waitFor("r  always in this project: bash(npm run say *)");
  terminal.type("r\r");
  await terminal.waitFor(/for this project:\s+allow bash\(npm run say \*\)[\s\S]*Well\./);
  terminal.type("/permissions\r");
  await terminal.waitFor(/allow bash\(npm run say \*\) +\(this project\)/);
  terminal.type("say\r");
  await terminal.waitFor("remove it");
  terminal.type("remove\r");
  await terminal.waitFor("add a deny rule");
  const [id = ""] = readdirSync(join(home, ".ikigai/projects"));
  const saved = readFileSync(join(home, ".ikigai/projects", id, "config.json"), "utf8");
  expect(JSON.parse(saved).permission.rules).toEqual([]);
  expect(existsSync(join(home, ".ikigai/config.json"))).toBe(false);
});

test("numbers the questions about the calls of a step", async () => {
  const three = ["touch a", "touch b", "touch c"].map(bash);
  const steps = [{ calls: three }, { calls: [bash("touch d"), bash("touch e")] }, { text: "Well." }];
  const { terminal } = await openFull(steps, { cwd: await tempDir() });
  terminal.type("go\r");
  await terminal.waitFor(/Run bash\? +1 of 3\n/);
  terminal.type("y");
  await terminal.waitFor(/Run bash\? +2 of 3\n/);
  terminal.type("n");
  await terminal.waitFor(/Run bash\? +3 of 3\n/);
  terminal.type("n");
  await terminal.waitFor(/Run bash\? +1 of 2\n/);
  terminal.type("a");
  await terminal.waitFor("Run both?");
  terminal.type("y");
  await terminal.waitFor("Well.");
});

test("m allows edits from now on, where that would allow the call", async () => {
  const cwd = await tempDir({ "a.txt": "one\n" });
  const edit = (old_string: string, new_string: string) => ({
    calls: [{ name: "file_edit", arguments: { file_path: "a.txt", old_string, new_string } }],
  });
  const outside = { calls: [{ name: "file_write", arguments: { file_path: "../b.txt", content: "" } }] };
  const steps = [edit("one", "two"), edit("two", "three"), outside, { text: "Well." }];
  const { terminal } = await openFull(steps, { cwd });
  terminal.type("go\r");
  await terminal.waitFor(
    /s {2}this session {3}no more questions about file_edit of this file\n.*\n.*\n {2}m {2}allow edits in the project/,
  );
  terminal.type("m\r");
  const asked = await terminal.waitFor("Run file_write?");
  expect(asked).not.toContain("allow edits in the project");
  expect(asked).toMatch(/\nallow edits · /);
  terminal.type("n");
  await terminal.waitFor("Well.");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("three\n");
});

test("a script is shown in lines, and its rule in words; a background command as such", async () => {
  const script = bash("for one in 1 2; do\n  touch $one\ndone");
  const server = { name: "bash", arguments: { command: "sleep 1", background: true } };
  const { terminal } = await openFull([{ calls: [script] }, { calls: [server] }, { text: "Well." }], {
    cwd: await tempDir(),
  });
  terminal.type("go\r");
  await terminal.waitFor(/1 {2}for one in 1 2; do\n {4}2 {4}touch \$one\n {4}3 {2}done\n/);
  expect(terminal.screen()).toContain("r  always in this project: exactly this command\n");
  terminal.type("n");
  await terminal.waitFor(/● bash {2}sleep 1\n {4}keeps running in the background\n/);
  terminal.type("n");
  await terminal.waitFor("Well.");
});

test("d denies all calls that wait", async () => {
  const cwd = await tempDir();
  const calls = ["touch a", "touch b", "touch c"].map(bash);
  const { terminal, model } = await openFull([{ calls }, { text: "Well." }], { cwd });
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  terminal.type("a");
  await terminal.waitFor("d  no, none of the 3");
  terminal.type("d");
  await terminal.waitFor("Well.");
  expect(readdirSync(cwd)).toEqual([]);
  expect(JSON.stringify(model.requests.at(-1)?.messages).match(/The user denied this call\./g)).toHaveLength(3);
});

describe.each([
  { columns: 120, rows: 40 },
  { columns: 80, rows: 24 },
  { columns: 40, rows: 15 },
])("with $columns x $rows", (size) => {
  test("t changes the command before it runs, and the model learns of it", async () => {
    const cwd = await tempDir();
    const steps = [{ calls: [bash("touch a b")] }, { text: "Well." }];
    const { terminal, model } = await openFull(steps, { cwd, ...size });
    terminal.type("go\r");
    await terminal.waitFor("t");
    await terminal.waitFor(/Run bash\?/);
    terminal.type("t\r");
    await terminal.waitFor("Command: touch a b");
    terminal.type("\u007fc\r");
    await terminal.waitFor("Well.");
    expect(readdirSync(cwd)).toEqual(["a", "c"]);
    expect(terminal.screen()).toContain("● bash  touch a c");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("The user changed the arguments of this call to");
  });

  test("a shows all calls that wait, and asks once", async () => {
    const cwd = await tempDir();
    const calls = ["touch a", "touch b", "touch c"].map(bash);
    const { terminal } = await openFull([{ calls }, { text: "Well." }], { cwd, ...size });
    terminal.type("go\r");
    await terminal.waitFor("see all 3, then");
    terminal.type("a");
    await terminal.waitFor(/● bash {2}touch a\n● bash {2}touch b\n● bash {2}touch c\n[\s\S]*Run all 3\?/);
    terminal.type("n");
    await terminal.waitFor("Run bash?");
    expect(terminal.screen()).not.toContain("touch b");
    terminal.type("a");
    await terminal.waitFor("Run all 3?");
    terminal.type("y");
    await terminal.waitFor("Well.");
    expect(readdirSync(cwd)).toEqual(["a", "b", "c"]);
  });
});

test("calls that do not fit on the screen cannot be allowed together before they were viewed", async () => {
  const cwd = await tempDir();
  const long = (name: string) => bash(`touch ${name}\n${"# line\n".repeat(7)}true`);
  const size = { columns: 80, rows: 24 };
  const { terminal } = await openFull([{ calls: [long("a"), long("b")] }, { text: "Well." }], { cwd, ...size });
  terminal.type("go\r");
  await terminal.waitFor("see all 2, then answer once");
  terminal.type("a");
  await terminal.waitFor("v  view all, then answer");
  terminal.type("y");
  await terminal.waitFor("Part of the call is not visible yet");
  expect(readdirSync(cwd)).toEqual([]);
  terminal.type("v");
  await terminal.waitFor("q goes back");
  terminal.type("Gq");
  await terminal.waitFor(/y {2}yes, once/);
  terminal.type("y");
  await terminal.waitFor("Well.");
  expect(readdirSync(cwd)).toEqual(["a", "b"]);
});

test("an empty command, Esc and n run nothing", async () => {
  const cwd = await tempDir();
  const { terminal } = await openFull([{ calls: [bash("touch a")] }, { text: "Well." }], { cwd });
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  terminal.type("t\r");
  await terminal.waitFor("Command: touch a");
  terminal.type("\u0015\r");
  await terminal.waitFor("Run bash?");
  terminal.type("t\r");
  await terminal.waitFor("Command: touch a");
  terminal.type("\u001b");
  await terminal.waitFor("Run bash?");
  terminal.type("n");
  await terminal.waitFor("Well.");
  expect(readdirSync(cwd)).toEqual([]);
});

test("a key pressed while an editor has the terminal does not answer a question that appears meanwhile", async () => {
  const cwd = await tempDir();
  const steps = [{ calls: [bash("sleep 1")] }, { calls: [bash("touch ran")] }, { text: "Well." }];
  const editor = "touch began; sleep 3; true";
  const { terminal } = await openFull(steps, { cwd, args: ["--allow", "bash(sleep *)"], env: { EDITOR: editor } });
  terminal.type("go\r");
  await terminal.waitFor("sleep 1");
  terminal.type("\u0007");
  await expect.poll(() => existsSync(join(cwd, "began")), { timeout: 20_000 }).toBe(true);
  await sleep(2_000);
  terminal.type("y");
  await terminal.waitFor("bash waits for your answer · Tab");
  await terminal.waitFor("› y");
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  terminal.type(tab);
  await terminal.waitFor("Run bash?");
  terminal.type("n");
  await terminal.waitFor("Well.");
});

test("nor does it trust a project, whose question waits for the end of a turn", async () => {
  const tool = { content: "#!/bin/sh\n", mode: 0o755 };
  const [cwd, HOME] = [await tempDir({ ".ikigai/tools/new-tool": tool }), await tempDir()];
  const steps = [{ calls: [bash("sleep 1")] }, { text: "Well." }];
  const env = { HOME, EDITOR: "touch began; sleep 3; true" };
  const { terminal } = await openFull(steps, { cwd, args: ["--allow", "bash(sleep *)"], env });
  await terminal.waitFor("Trust this?");
  terminal.type("n\r");
  await terminal.waitFor("Not trusted");
  terminal.type("go\r");
  await terminal.waitFor("sleep 1");
  terminal.type("/trust\r\u0007");
  await expect.poll(() => existsSync(join(cwd, "began")), { timeout: 20_000 }).toBe(true);
  await sleep(2_000);
  terminal.type("y");
  await terminal.waitFor("ikigai waits for your answer · Tab");
  expect(existsSync(join(HOME, ".ikigai/trust.json"))).toBe(false);
  terminal.type(tab);
  await terminal.waitFor(/\/trust[\s\S]*Trust this\?/);
  terminal.type("n\r");
  await terminal.waitFor(/\/trust[\s\S]*Not trusted/);
});
