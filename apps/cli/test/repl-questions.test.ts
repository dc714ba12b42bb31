// Promise 5 of SECURITY.md.
// @module-tag sampled
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { askingHome } from "./asking-home.ts";
import { ikigai, until } from "./ikigai.ts";
import { type Step, startModel } from "./model-server.ts";
import { openTerminal, type TerminalOptions } from "./terminal.ts";

/** A terminal in which the first question of these steps is on the screen. */
async function openQuestion(steps: readonly Step[], options: TerminalOptions = {}) {
  const { env, requests } = await startModel(steps);
  const cwd = options.cwd ?? (await tempDir());
  const terminal = await openTerminal(["--model", "openai-compatible/m"], {
    ...options,
    cwd,
    env: { HOME: await askingHome(), ...env, ...options.env },
  });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await terminal.waitFor("Run it?");
  const question = () => terminal.steadyScreen().split("› go\n")[1];
  return { terminal, requests, cwd, question };
}

const bash = (command: string): Step => ({ calls: [{ name: "bash", arguments: { command } }] });

/** The result that the model got for its last call. */
function lastResult(requests: Awaited<ReturnType<typeof startModel>>["requests"]): unknown {
  return JSON.parse(String(requests.at(-1)?.messages.at(-1)?.content));
}

test("asks before a command and shows all of it; y runs it once", async () => {
  const { terminal, question } = await openQuestion([bash("echo one\necho two"), bash("echo one\necho two")]);
  expect(question()).toBe(`● bash
    1  echo one
    2  echo two
  Run it?   y once   s this session   r always in this project: bash(echo one) and bash(echo two)
  g always, in all projects   t change the command first   n no   e no, and say why`);
  terminal.type("y\r");
  await terminal.waitFor(/exit 0.*Run it\?/s);
});

test("a finished plan asks whether to carry it out; words after no go to the model", async () => {
  const plan = { text: "1. nothing\n\nThe plan is complete." };
  const { env, requests } = await startModel([plan, plan, { text: "Did it." }]);
  const terminal = await openTerminal(["--model", "openai-compatible/m", "--permission-mode", "plan"], {
    env: { HOME: await askingHome(), ...env },
  });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await terminal.waitFor(/Carry out this plan\? {3}y yes, and ask before each change.* n no, keep planning/s);
  terminal.type("no, use b.txt\r");
  await terminal.waitFor(/Carry out.*Carry out/s);
  terminal.type("y\r");
  await terminal.waitFor("Did it.");
  expect(requests.map(({ messages }) => messages.at(-1)?.content)).toEqual([
    "go",
    "use b.txt",
    expect.stringContaining("Carry out the plan."),
  ]);
});

test("says that the command is missing, and offers no rule", async () => {
  const { question } = await openQuestion([{ calls: [{ name: "bash", arguments: {} }] }]);
  expect(question()).toBe(`● bash
    the argument "command" is missing
  Run it?   y once   n no   e no, and say why`);
});

test("a file to read is shown as after the answer", async () => {
  const call = { name: "file_read", arguments: { file_path: "/etc/passwd" } };
  const { question } = await openQuestion([{ calls: [call] }]);
  expect(question()).toMatch(/^● file_read {2}\/etc\/passwd\n/);
});

test("puts the answers on two lines if one is too short", async () => {
  const { question } = await openQuestion([bash("echo a command that is rather long")]);
  expect(question()).toBe(`● bash  echo a command that is rather long
  Run it?   y once   s this session
  r always in this project: bash(echo a command that is rather long)   g always, in all projects
  t change the command first   n no   e no, and say why`);
});

test("s allows it for the session", async () => {
  const { terminal, question } = await openQuestion([bash("echo one"), bash("echo one")]);
  terminal.type("s\r");
  await terminal.waitFor("Done.");
  await terminal.waitForPrompt();
  expect(question()).toBe(`● bash  echo one
  Run it?   y once   s this session   r always in this project: bash(echo one)
  g always, in all projects   t change the command first   n no   e no, and say why  s
  one
  exit 0 · N ms
● bash  echo one
  one
  exit 0 · N ms

Done.

›`);
});

test.each(["Y", "S", "R", "G", "N"])("the capital %s is not an answer", async (capital) => {
  const { terminal, requests } = await openQuestion([bash("echo one")]);
  terminal.type(`${capital}\r`);
  await terminal.waitFor("Expected one of y, s, r, g, t, n, e:");
  terminal.type("n\r");
  await terminal.waitFor("Done.");
  expect(lastResult(requests)).toMatchObject({ error_code: "TOOL_DENIED" });
});

test.each([
  ["r", "for this project"],
  ["g", "for all projects"],
])("%s saves a rule %s, which -p follows there", async (letter, scope) => {
  const home = await askingHome();
  const cwd = await tempDir();
  const steps = [bash("npm test --silent -- one")];
  const { terminal } = await openQuestion(steps, { env: { HOME: home }, cwd });
  expect(terminal.screen().replaceAll("\n", "")).toContain("r always in this project: bash(npm test *)");
  terminal.type(`${letter}\r`);
  const screen = (await terminal.waitFor("Done.")).replaceAll("\n", "");
  expect(screen).toContain(`Saved ${scope}: allow bash(npm test *)`);
  const verdictIn = async (place: string) => {
    const model = await startModel([bash("npm test --silent -- two"), { text: "Done." }]);
    await ikigai(["-p", "go", "--model", "openai-compatible/m"], { cwd: place, env: { ...model.env, HOME: home } });
    return JSON.stringify(lastResult(model.requests)).includes("TOOL_DENIED") ? "denied" : "ran";
  };
  expect(await verdictIn(cwd)).toBe("ran");
  expect(await verdictIn(await tempDir())).toBe(letter === "g" ? "ran" : "denied");
  const config = JSON.parse(readFileSync(join(home, ".ikigai/config.json"), "utf8"));
  expect(config.permission.rules).toEqual(letter === "g" ? [{ allow: "bash(npm test *)" }] : undefined);
  rmSync(join(home, ".ikigai/projects"), { recursive: true, force: true });
  expect(await verdictIn(cwd)).toBe(letter === "g" ? "ran" : "denied");
});

test("g allows it for the session if the configuration cannot be written", async () => {
  const home = await askingHome();
  const { terminal } = await openQuestion([bash("echo one"), bash("echo one")], { env: { HOME: home } });
  writeFileSync(join(home, ".ikigai/config.json"), "no JSON");
  terminal.type("g\r");
  const screen = await terminal.waitFor("Done.");
  expect(screen).toContain("The rule applies to this session only:");
});

test("says why a saved rule does not end the questions", async () => {
  const home = await askingHome();
  const config = { permission: { readOnlyCommands: false, rules: [{ ask: "bash(domain:a.org)" }] } };
  writeFileSync(join(home, ".ikigai/config.json"), JSON.stringify(config));
  const { terminal } = await openQuestion([bash("echo one")], { env: { HOME: home }, columns: 120 });
  terminal.type("r\r");
  const screen = await terminal.waitFor("Done.");
  expect(screen).toContain("`ask bash(domain:a.org)` might apply to this call, so ikigai still asks.");
});

test("n tells the model that the user refused", async () => {
  const { terminal, requests, question } = await openQuestion([bash("echo one"), { text: "As you like." }]);
  terminal.type("n\r");
  await terminal.waitFor("As you like.");
  await terminal.waitForPrompt();
  expect(question()).toBe(`● bash  echo one
  Run it?   y once   s this session   r always in this project: bash(echo one)
  g always, in all projects   t change the command first   n no   e no, and say why  n
  The user denied this call.

As you like.

›`);
  expect(lastResult(requests)).toMatchObject({ tool_success: false, error_code: "TOOL_DENIED" });
});

test("e sends the user's words along", async () => {
  const { terminal, requests } = await openQuestion([bash("echo one")]);
  terminal.type("e\r");
  await terminal.waitFor("Why, or what instead?");
  terminal.type("use printf\r");
  await terminal.waitFor("Done.");
  expect(lastResult(requests)).toMatchObject({ error: "The user denied this call and says: use printf" });
});

test("accepts only one of the letters, not a word that begins with one or another key", async () => {
  const { terminal, cwd } = await openQuestion([bash("touch ran")]);
  let asked = 0;
  for (const line of ["", "yes please", "stop", "\u001b", "\u001b[A", "x"]) {
    terminal.type(`${line}\r`);
    await terminal.waitFor(new RegExp(`(Expected one of y, s, r, g, t, n, e:[^]*){${++asked}}`));
  }
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  terminal.type(" y \r");
  await until(() => existsSync(join(cwd, "ran")), "the command");
});

test("Ctrl-C at a question stops the turn", async () => {
  const { terminal, question } = await openQuestion([bash("echo one")]);
  terminal.type("\u0003");
  await terminal.waitFor("Interrupted.");
  await terminal.waitForPrompt();
  expect(question()).toBe(`● bash  echo one
  Run it?   y once   s this session   r always in this project: bash(echo one)
  g always, in all projects   t change the command first   n no   e no, and say why  ^C
  stopped
Interrupted.

›`);
});

test("shows what a write would change in the file as it is", async () => {
  const cwd = await tempDir({ "a.txt": "one\ntwo\nthree\nfour\nfive\nsix\n" });
  const content = "one\n2\nthree\nfour\nfive\nsix\nseven\n";
  const { terminal, question } = await openQuestion(
    [{ calls: [{ name: "file_write", arguments: { file_path: "a.txt", content } }] }],
    { cwd },
  );
  expect(question()).toBe(`● file_write  a.txt  +2 −1
    1   one
    2 - two
    2 + 2
    3   three
    4   four
    5   five
    6   six
    7 + seven
  Run it?   y once   s this session   r always in this project: file_write(a.txt)
  g always, in all projects   m allow edits in the project   n no   e no, and say why`);
  terminal.type("y\r");
  await terminal.waitFor("Wrote 32 bytes to a.txt");
});

test("shows an edit with its place in the file", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `line ${index + 1}`).join("\n");
  const cwd = await tempDir({ "a.txt": `${lines}\n` });
  const edit = { file_path: "a.txt", old_string: "line 20\n", new_string: "line twenty\nand more\n" };
  const { question } = await openQuestion([{ calls: [{ name: "file_edit", arguments: edit }] }], { cwd });
  expect(question()).toBe(`● file_edit  a.txt  +2 −1
       …
    18   line 18
    19   line 19
    20 - line 20
    20 + line twenty
    21 + and more
    22   line 21
    23   line 22
  Run it?   y once   s this session   r always in this project: file_edit(a.txt)
  g always, in all projects   m allow edits in the project   n no   e no, and say why`);
});

test("leaves out the middle of a long text, and accepts no approval until v has shown it", async () => {
  const content = Array.from({ length: 100 }, (_, index) => `line ${index + 1}\n`).join("");
  const { terminal, cwd } = await openQuestion(
    [{ calls: [{ name: "file_write", arguments: { file_path: "a.txt", content } }] }],
    { rows: 150 },
  );
  expect(terminal.screen()).toContain("… v shows 42 more lines");
  expect(terminal.screen()).not.toContain("line 70");
  expect(terminal.screen()).toMatch(/Run it\? {3}v view all, then answer {3}n no {3}e no, and say why$/);
  // A text that was not shown cannot be approved.
  for (const letter of "ysr") {
    terminal.type(`${letter}\r`);
    await new Promise((settle) => setTimeout(settle, 50));
  }
  terminal.type("v\r");
  await terminal.waitFor("line 70");
  await terminal.waitFor(/Run it\?.*Run it\? {3}y once/s);
  expect(existsSync(join(cwd, "a.txt"))).toBe(false);
  terminal.type("y\r");
  await terminal.waitFor("Wrote 792 bytes to a.txt");
});

test("says where a link leads, and which executable a user's tool is", async () => {
  const outside = await tempDir({ "secret.txt": "x\n" });
  const cwd = await tempDir();
  symlinkSync(join(outside, "secret.txt"), join(cwd, "notes.txt"));
  const { question } = await openQuestion(
    [{ calls: [{ name: "file_write", arguments: { file_path: "notes.txt", content: "y\n" } }] }],
    { cwd, columns: 200 },
  );
  expect(question()).toContain(`resolves to ${outside}/secret.txt`);
});

test("makes invisible characters in a command visible", async () => {
  const { question } = await openQuestion([bash("echo \u202egnp.exe\u200b \u001b[2K")]);
  expect(question()).toContain("● bash  echo <U+202E>gnp.exe<U+200B> ␛[2K");
});

test("asks one question at a time, and shows parallel calls after it", async () => {
  const cwd = await tempDir({ "a.md": "x" });
  const calls = [
    { name: "bash", arguments: { command: "echo one" } },
    { name: "glob", arguments: { pattern: "*.md" } },
    { name: "bash", arguments: { command: "echo two" } },
  ];
  const { terminal, question } = await openQuestion([{ calls }], { cwd });
  await new Promise((settle) => setTimeout(settle, 300));
  expect(question()).not.toContain("a.md");
  terminal.type("y\r");
  await terminal.waitFor("● bash  echo two");
  terminal.type("y\r");
  await terminal.waitFor("Done.");
  await until(() => /\n {2}two\n/.test(terminal.screen()), "the second command's output");
});

test("t runs another command instead, and a allows all that wait", async () => {
  const calls = ["a", "b"].map((name) => ({ name: "bash", arguments: { command: `touch ${name}` } }));
  const steps: Step[] = [bash("touch never"), { calls }, { text: "Done." }];
  const { terminal, requests, cwd } = await openQuestion(steps);
  terminal.type("t\r");
  await terminal.waitFor("Command to run instead:");
  terminal.type("touch instead\r");
  await terminal.waitFor(/a see all 2, then answer once/);
  expect(JSON.stringify(requests.at(-1)?.messages)).toContain("The user changed the arguments of this call to");
  terminal.type("a\r");
  await terminal.waitFor(/● bash {2}touch b\n {2}Run both\? {3}y yes {3}d no, none {3}n ask about each/);
  terminal.type("y\r");
  await terminal.waitFor("Done.");
  expect(readdirSync(cwd)).toEqual(["a", "b", "instead"]);
});
