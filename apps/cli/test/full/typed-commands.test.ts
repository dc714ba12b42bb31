// @module-tag sampled
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { typedArguments, wantsTerminal } from "../../src/session/take-input.ts";
import { startModel } from "../model-server.ts";
import { openTerminal } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

/** A timeout for the model's calls that is shorter than the user's command. */
const config = { "home/.ikigai/config.json": JSON.stringify({ tools: { bash: { timeoutMs: 1_000 } } }) };
const slow = "sleep 3; echo done";

test("a command after ! has no timeout, even if the model's calls have one", async () => {
  const dir = await tempDir(config);
  const { terminal } = await openFull([], { env: { HOME: join(dir, "home") } });
  terminal.type(`!${slow}\r`);
  await terminal.waitFor(/\n {2}done\n {2}exit 0 · \d/);
});

test.each([
  ["sleep 9 &", { command: "sleep 9", background: true }],
  ["cd src; sleep 9 &", { command: "cd src; sleep 9", background: true }],
  ["(echo hi; sleep 9) &", { command: "(echo hi; sleep 9)", background: true }],
  ["echo a && echo b", { command: "echo a && echo b" }],
  ["echo a \\&", { command: "echo a \\&" }],
])("what runs in the background, as a shell does it: %j", (typed, expected) => {
  expect(typedArguments(typed)).toEqual(expected);
});

test("a lone cd after ! says that it counts for that command only", async () => {
  const { terminal } = await openFull([]);
  terminal.type("!cd /tmp\r");
  await terminal.waitFor("cd counts for this command only. To run calls in another directory: /cd DIR");
  terminal.type("!cd /tmp && pwd\r");
  await terminal.waitFor(/\n {2}\/tmp\n {2}exit 0/);
  expect(terminal.screen().match(/cd counts/g)).toHaveLength(1);
});

test("a command after ! has no timeout in line mode", async () => {
  const dir = await tempDir(config);
  const { env } = await startModel([]);
  const terminal = await openTerminal(["--model", "openai-compatible/m"], { env: { ...env, HOME: join(dir, "home") } });
  await terminal.waitForPrompt();
  terminal.type(`!${slow}\r`);
  await terminal.waitFor(/\n {2}done\n {2}exit 0 · \d/);
});

const vim = `#!/bin/sh
[ -t 0 ] && [ -t 1 ] || { echo "no terminal"; exit 2; }
printf 'Name? '; read -r name; echo "Hello $name."; exit 4
`;

/** Opens a screen where `vim` is a program that asks for a name. */
async function openWithVim(args: readonly string[] = []) {
  const cwd = await tempDir({ "bin/vim": { content: vim, mode: 0o755 } });
  return openFull([{ text: "Fine." }], { cwd, args, env: { PATH: `${cwd}/bin:${process.env.PATH}` } });
}

test("an interactive program gets the terminal, and the conversation records its exit code", async () => {
  const { terminal, model } = await openWithVim();
  terminal.type("!vim notes.txt\r");
  await terminal.waitFor(/Name\?$/m);
  // The terminal edits this line, not ikigai.
  terminal.type("Adx\u007fa\r");
  await terminal.waitFor(/Hello Ada\.\n[\s\S]*! vim notes\.txt\n {2}exit 4 · /);
  terminal.type("go on\r");
  await terminal.waitFor("Fine.");
  const said = JSON.stringify(model.requests[0]?.messages);
  expect(said).toContain("vim notes.txt");
  expect(said).toContain("its output was not captured");
  expect(said).not.toContain("Hello Ada");
  expect(terminal.screen().match(/Hello Ada\./g)).toHaveLength(1);
  expect(said).toContain(String.raw`\"exit_code\":4`);
});

test("after !! any command gets the terminal, in the shell of the model's commands, and stays out of the conversation", async () => {
  const cwd = await tempDir({ "bin/my-tool": { content: vim, mode: 0o755 } });
  const { terminal, model } = await openFull([{ text: "Fine." }], { cwd });
  terminal.type("!!echo {a,b}; bin/my-tool\r");
  await terminal.waitFor(/^a b\nName\?$/m);
  terminal.type("Ada\r");
  await terminal.waitFor(/Hello Ada\.\n[\s\S]*!! echo .*\n {2}exit 4 · /);
  terminal.type("!printf 'captured %s' x\r");
  await terminal.waitFor(/! printf .*\n {2}captured x\n {2}exit 0/);
  terminal.type("go on\r");
  await terminal.waitFor("Fine.");
  const said = JSON.stringify(model.requests[0]?.messages);
  expect(said).toContain("captured x");
  expect(said).not.toMatch(/Hello|my-tool/);
});

test("Ctrl-C goes to the program that has the terminal", async () => {
  const { terminal } = await openWithVim();
  terminal.type("!!vim\r");
  await terminal.waitFor(/Name\?$/m);
  terminal.type(keys.ctrlC);
  await terminal.waitFor(/!! vim\n {2}exit 130 · /);
  terminal.type("still here");
  await terminal.waitFor("› still here");
});

test("an interactive command that is too long for the system fails with 127", async () => {
  const { terminal } = await openWithVim();
  terminal.type(`!vim \u001b[200~${"some words\r".repeat(14_000)}\u001b[201~`);
  await terminal.waitFor(/14.?00[01]/);
  terminal.type("\r");
  await terminal.waitFor(/exit 127 · /);
  terminal.type("still here");
  await terminal.waitFor("› still here");
});

test("a turn continues while an editor is open", async () => {
  const step = (name: string) => ({ calls: [{ name: "bash", arguments: { command: `sleep 0.3; touch ${name}` } }] });
  const editor = `for i in $(seq 200); do [ -e second ] && break; sleep 0.05; done
[ -e second ] && echo "while I wrote" > "$1" || echo "too late" > "$1"\n`;
  const cwd = await tempDir({ "editor.sh": editor });
  const { terminal } = await openFull([step("first"), step("second"), { text: "Both." }], {
    cwd,
    args: ["--allow", "bash"],
    env: { EDITOR: `sh ${join(cwd, "editor.sh")}` },
  });
  terminal.type("go\r");
  await terminal.waitFor(/touch first/);
  terminal.type(keys.ctrlG);
  await terminal.waitFor("› while I wrote");
  await terminal.waitFor("Both.");
});

test.each([
  "vim notes.txt",
  "EDITOR=vi git commit",
  "git commit --amend",
  "git rebase -i HEAD~3",
  "git add -p src",
  "cd src && less a.ts",
  "git log | less",
  "/usr/bin/top -d 1",
  "sudo apt install x",
  "python3",
  "env A=1 ssh host",
  "ikigai login openai",
  "npm login",
  "gh auth login",
])("%j needs a terminal", (command) => {
  expect(wantsTerminal(command)).toBe(true);
});

test.each([
  "npm test",
  "git log --oneline",
  "git commit -m 'vim; less'",
  "git commit -am message",
  "git add -A",
  "git log -p",
  "git commit -F in-a-file",
  'echo "a; vim b"',
  "python3 x.py",
  "cat less.txt",
  "vim --version",
  "grep -p vim x",
  "ikigai doctor",
  "npm install",
])("%j does not need a terminal", (command) => {
  expect(wantsTerminal(command)).toBe(false);
});
