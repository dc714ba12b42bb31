// @module-tag sampled
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { askingHome } from "../asking-home.ts";
import { evil } from "../evil-texts.ts";
import { bin, until } from "../ikigai.ts";
import { startModel } from "../model-server.ts";
import { drawingBug, openTerminal, type Terminal } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";
import { slowProvider } from "./slow-provider.ts";

/** The modes that are switched on, and off again. */
const modes = [
  ["[?1004h", "[?1004l"],
  ["[?2004h", "[?2004l"],
  ["[>1u", "[<u"],
  ["[>4;1m", "[>4;0m"],
  ["[?2031h", "[?2031l"],
  ["[?25l", "[?25h"],
  ["[?7l", "[?7h"],
  ["[?2026h", "[?2026l"],
] as const;

/** Polls, as the last bytes may arrive after the process has exited. */
async function expectClean(terminal: Terminal): Promise<void> {
  const leftOn = () => {
    const raw = terminal.raw();
    return modes.filter(([on, off]) => raw.lastIndexOf(`\u001b${off}`) <= raw.lastIndexOf(`\u001b${on}`));
  };
  await expect.poll(leftOn).toEqual([]);
  const raw = terminal.raw();
  expect(raw.split("\u001b[?1049h").length).toBe(raw.split("\u001b[?1049l").length);
}

test.each([
  ["SIGTERM", 143],
  ["SIGHUP", 129],
  ["SIGQUIT", 131],
] as const)("%s ends running calls, restores the terminal and exits with %i", async (signal, code) => {
  const cwd = await tempDir();
  const calls = [{ name: "bash", arguments: { command: "echo $$ > pid; sleep 60" } }];
  const { terminal } = await openFull([{ calls }], { args: ["--allow", "bash"], cwd });
  terminal.type("go\r");
  await terminal.waitFor(/sleep 60\n {2}running/);
  terminal.kill(signal);
  expect(await terminal.exitCode).toBe(code);
  await expectClean(terminal);
  expect(isRunning(terminal.pid)).toBe(false);
});

test("quitting with the viewer open restores the screen below", async () => {
  const { terminal } = await openFull([]);
  terminal.type("!echo one\r");
  await terminal.waitFor("exit 0");
  terminal.type(keys.ctrlO);
  await terminal.waitFor("q closes");
  terminal.kill("SIGTERM");
  expect(await terminal.exitCode).toBe(143);
  await expectClean(terminal);
  await terminal.waitFor("! echo one");
});

test("a bug in drawing restores the terminal, is reported, and exits with 70", async () => {
  // Only drawing a file change calls padStart without a fill string.
  const cwd = await tempDir({ "fault.cjs": drawingBug });
  const { terminal } = await openFull(
    [{ calls: [{ name: "file_write", arguments: { file_path: "a.txt", content: "x\n" } }] }],
    { cwd, env: { NODE_OPTIONS: `--require=${join(cwd, "fault.cjs")}` } },
  );
  terminal.type("go\r");
  expect(await terminal.exitCode).toBe(70);
  await terminal.waitFor("This is a bug in ikigai, please report it.\nTypeError: drawn wrongly");
  await expectClean(terminal);
});

test("Ctrl-Z returns the terminal, fg takes it again", async () => {
  const terminal = await openTerminal([], { command: ["bash", "--norc", "-i"], env: { PS1: "shell$ " } });
  await terminal.waitFor("shell$");
  terminal.type(`${process.execPath} ${bin}\r`);
  await terminal.waitFor(/offline\/plain-requests$/);
  terminal.type("half");
  await terminal.waitFor("› half");
  terminal.type("\u001a");
  await terminal.waitFor("Stopped");
  terminal.type("stty -a | grep -o ' icanon'; fg\r");
  await terminal.waitFor(/\n icanon/);
  await terminal.waitFor("› half\n");
  terminal.type(" and half\r");
  await terminal.waitFor('I do not understand "half and half"');
});

test.each([
  ["Ctrl-Z", "\u001a"],
  ["Ctrl-C", "\u0003\u0003\u0003"],
])("%s that has waited for a list leaves no answer of the terminal to the shell", async (_, typed) => {
  const terminal = await openTerminal([], {
    command: ["bash", "--norc", "-i"],
    env: { PS1: "shell$ ", ...(await slowProvider(600)) },
    isAnswering: true,
  });
  await terminal.waitFor("shell$");
  terminal.type(`${process.execPath} ${bin} --permission-mode ask --model openai-compatible/m\r`);
  await terminal.waitFor("ask · ");
  await sleep(500);
  terminal.type("/model\r");
  await terminal.waitFor("Asking the providers");
  terminal.type(typed);
  await terminal.waitFor(/shell\$[^$]*shell\$/);
  await sleep(300);
  terminal.type("echo me\r");
  await terminal.waitFor("\nme\n");
});

test.each(["\r", "y"])("after Ctrl-Z and fg, %j for the shell approves nothing", async (key) => {
  const cwd = await tempDir();
  const model = await startModel([
    { calls: [{ name: "bash", arguments: { command: "touch ran" } }] },
    { text: "Well." },
  ]);
  const terminal = await openTerminal([], {
    cwd,
    command: ["bash", "--norc", "-i"],
    env: { PS1: "shell$ ", HOME: await askingHome(), ...model.env },
  });
  await terminal.waitFor("shell$");
  terminal.type(`${process.execPath} ${bin} --permission-mode ask --model openai-compatible/m\r`);
  await terminal.waitFor("ask · ");
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  terminal.type("\u001a");
  await terminal.waitFor("Stopped");
  terminal.type("fg\r");
  await sleep(100);
  terminal.type(key);
  await sleep(1_500);
  expect(existsSync(join(cwd, "ran"))).toBe(false);
  terminal.type("\u001b");
  await terminal.waitFor("Interrupted.");
});

test("exits when the window is closed", async () => {
  const { terminal } = await openFull([]);
  terminal.hangUp();
  await until(() => !isRunning(terminal.pid), "the end");
});

/** Every sequence that ikigai itself sends: for drawing, modes, the queries and the title. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched for
const drawing = /\u001b(?:[78]|\[(?:[\d;]*m|\d*[ABCGJKLM]|\d+;1H))/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched for
const switching = /\u001b\[(?:\?(?:1004|2004|2026|2031|25|7|1049)[hl]|>4;[01]m|>1u|<u|2[23];0t|[56]n|>c)/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched for
const telling = /\u001b\](?:11;\?|0;\P{Cc}*)\u0007/gu;
/** A link to exactly what it shows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are searched for
const linking = /\u001b\]8;;([!-~]+)\u001b\\\1\u001b\]8;;\u001b\\/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a bell is ours
const unsafe = /(?![\n\r\u0007])(?:\p{Cc}|\p{Bidi_Control}|\u200b|\ufeff|[\u{e0000}-\u{e007f}]).{0,20}/gu;

test("no text of a tool, a model or a file name controls the terminal", async () => {
  const cwd = join(await tempDir(), "dir \u001b]0;x\u0007 \u202e");
  mkdirSync(join(cwd, ".git"), { recursive: true });
  writeFileSync(join(cwd, ".git/HEAD"), `ref: refs/heads/${evil}\n`);
  const args = { [evil]: evil, command: evil };
  const model = await startModel([
    {
      text: `${evil}\n\n\`\`\`js\n${evil}\n\`\`\`\n&#27;]0;x&#7; [a](http://x/${evil})`,
      calls: [{ name: evil, arguments: args }],
    },
    { text: "so", calls: [{ name: "bash", arguments: { command: `printf '%s\\n' '${evil}'; sleep 0.4` } }] },
    { calls: [{ name: "file_write", arguments: { file_path: `a${evil}`, content: evil } }] },
    { text: evil, pieceLength: 1 },
  ]);
  const terminal = await openTerminal(["--model", "openai-compatible/m"], {
    cwd,
    env: model.env,
    rows: 60,
    isFull: true,
  });
  await terminal.waitFor("ask · ");
  terminal.type("go\r");
  await terminal.waitFor("Run bash?");
  terminal.type("y");
  await terminal.waitFor("Run file_write?");
  terminal.type("y");
  await expect.poll(() => model.requests.length).toBe(4);
  await terminal.waitFor(/─\n›\n─/);
  terminal.type(keys.ctrlO);
  await terminal.waitFor("q closes");
  terminal.type("q/quit\r");
  expect(await terminal.exitCode).toBe(0);
  const rest = terminal.raw().replace(drawing, "").replace(switching, "").replace(telling, "").replace(linking, "");
  expect(rest.match(unsafe)).toBeNull();
  expect(terminal.raw()).toContain("␛]52;c;ZXZpbA==␇");
});
