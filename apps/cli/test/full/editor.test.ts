// @module-tag sampled
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { maxPasteLength } from "@ikigai/screen";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import type { ModelServer } from "../model-server.ts";
import { keys, openFull, rule } from "./open-full.ts";

function lastSaid({ requests }: ModelServer): unknown {
  return requests.at(-1)?.messages.findLast(({ role }) => role === "user")?.content;
}

test("Shift-Enter, Ctrl-J and a backslash make new lines", async () => {
  const { terminal, model } = await openFull([{ text: "Fine." }]);
  terminal.type(`one${keys.shiftEnter}two${keys.ctrlJ}three\\\rfour`);
  await terminal.waitFor(`› one\n  two\n  three\n  four\n${rule}`);
  terminal.type(keys.enter);
  await terminal.waitFor("Fine.");
  expect(lastSaid(model)).toBe("one\ntwo\nthree\nfour");
});

test("tabs and the indentation of the first line are sent as they were pasted or written in an editor", async () => {
  const cwd = await tempDir({ "editor.sh": 'printf "make:\\n\\tcc x\\n" > "$1"\n' });
  const { terminal, model } = await openFull([{ text: "One." }, { text: "Two." }, { text: "Three." }], {
    cwd,
    env: { EDITOR: `sh ${join(cwd, "editor.sh")}` },
  });
  const short = "  \tif x:\n\t\ty()";
  terminal.type(`\u001b[200~${short}\u001b[201~`);
  await terminal.waitFor("›   →if x:\n  →→y()\n");
  terminal.type(keys.enter);
  await terminal.waitFor("One.");
  expect(lastSaid(model)).toBe(short);
  const long = Array.from({ length: 15 }, (_, n) => `\tline\t${n}`).join("\n");
  terminal.type(`\u001b[200~${long}\u001b[201~`);
  await terminal.waitFor("[Pasted 15 lines]");
  terminal.type(keys.enter);
  await terminal.waitFor("Two.");
  expect(lastSaid(model)).toBe(long);
  terminal.type(keys.ctrlG);
  await terminal.waitFor("› make:\n  →cc x\n");
  terminal.type(keys.enter);
  await terminal.waitFor("Three.");
  expect(lastSaid(model)).toBe("make:\n\tcc x");
  terminal.type(keys.up);
  await terminal.waitFor("› make:\n  →cc x\n");
});

test("Emacs keys move, delete and yank", async () => {
  const { terminal } = await openFull();
  terminal.type("hello brave world\u0001\u001bd\u0005\u0017\u0019!");
  await terminal.waitFor("›  brave world!");
});

test("keeps the history for the next session, and Ctrl-R searches that of all projects", async () => {
  const home = await tempDir();
  const [first, second] = [await tempDir(), await tempDir()];
  for (const [cwd, words] of [
    [first, "the first thing"],
    [second, "another thing"],
  ] as const) {
    const { terminal } = await openFull([{ text: "Fine." }], { cwd, env: { HOME: home } });
    terminal.type(`${words}\r`);
    await terminal.waitFor("Fine.");
    terminal.type(keys.ctrlD);
    await terminal.exitCode;
  }
  const { terminal } = await openFull([], { cwd: second, env: { HOME: home } });
  terminal.type(keys.up);
  await terminal.waitFor("› another thing");
  terminal.type(`${keys.ctrlC}${keys.ctrlR}`);
  await terminal.waitFor(/History\n› another thing\n {2}the first thing {2}\S+/);
  terminal.type("frst");
  await terminal.waitFor(/History {2}frst\n› the first thing/);
  terminal.type(keys.enter);
  await terminal.waitFor("› the first thing\n");
});

test("does not hang when history.jsonl is a FIFO", async () => {
  const home = await tempDir({ ".ikigai/": "" });
  execFileSync("mkfifo", [join(home, ".ikigai/history.jsonl")]);
  const { terminal, model } = await openFull([{ text: "Fine." }], { env: { HOME: home } });
  terminal.type("go on\r");
  await terminal.waitFor("Fine.");
  expect(lastSaid(model)).toBe("go on");
  terminal.type(keys.up);
  await terminal.waitFor("› go on\n");
});

test("completes slash commands and their arguments", async () => {
  const { terminal } = await openFull();
  terminal.type("/re");
  const menu = await terminal.waitFor("/rewind");
  expect(menu).toContain("/refresh");
  expect(menu).toContain("/resume [NAME|ID|WORDS]");
  // A description that does not fit ends in a sign, the selected one too.
  expect(menu).toMatch(/→ \/resume .*\S…\n.*\/rewind .*…\n/);
  expect(menu).toMatch(/\/refresh +reload the tools\n/);
  expect(menu).not.toContain("/tool");
  terminal.type(`${keys.ctrlC}/tool file`);
  await terminal.waitFor(/file_edit[\s\S]*file_read/);
  terminal.type(`${keys.down}${keys.tab}`);
  await terminal.waitFor(/› \/tool file_(edit|read|write)\n/);
});

test("Enter runs the selected completion of a command's argument", async () => {
  const { terminal } = await openFull();
  terminal.type("/thinking hi");
  await terminal.waitFor(/› \/thinking hi\n─+\n.*high/);
  terminal.type("\r");
  await terminal.waitFor("\nThinking: high\n");
});

test("Enter runs the typed text if no completion begins with it, unless the user has moved to one", async () => {
  const { terminal } = await openFull();
  terminal.type("/thinking hgh");
  await terminal.waitFor(/› \/thinking hgh\n─+\n.*high/);
  terminal.type("\r");
  await terminal.waitFor(/› \/thinking hgh\n[\s\S]*Expected/);
  terminal.type("/tool flrd");
  await terminal.waitFor(/› \/tool flrd\n─+\n.*file_read/);
  terminal.type(`${keys.down}\r`);
  await terminal.waitFor("Tool: file_read");
});

test("@ completes files, except those that .gitignore excludes", async () => {
  const cwd = await tempDir({
    ".gitignore": "*.log\n/build/\n",
    "src/.gitignore": "!keep.log\n",
    "src/main.ts": "",
    "src/keep.log": "",
    "src/drop/main.log": "",
    "build/main.js": "",
    "a b/main.txt": "",
  });
  const { terminal } = await openFull([], { cwd });
  terminal.type("see @mai");
  const menu = await terminal.waitFor("src/main.ts");
  expect(menu).toContain("a b/main.txt");
  expect(menu).not.toContain("build/");
  expect(menu).not.toContain("main.log");
  terminal.type("nts");
  await terminal.waitFor(/→ src\/main\.ts\n(?!.*main\.txt)/);
  terminal.type(keys.tab);
  await terminal.waitFor("› see @src/main.ts\n");
  terminal.type(" and @keep");
  await terminal.waitFor("→ src/keep.log");
});

test("Enter sends a text that ends in the whole name of a file, and completes the beginning of one", async () => {
  const cwd = await tempDir({ "a.js": "", "a.json": "", "b.md": "" });
  const { terminal, model } = await openFull([{ text: "One." }, { text: "Two." }], { cwd });
  terminal.type("see @a.js");
  await terminal.waitFor("→ a.js\n");
  terminal.type("\r");
  await terminal.waitFor("One.");
  expect(model.requests[0]?.messages.at(-1)?.content).toBe("see @a.js");
  terminal.type("see @a.js");
  await terminal.waitFor("→ a.js\n");
  terminal.type(keys.down);
  await terminal.waitFor("→ a.json\n");
  terminal.type("\r");
  await terminal.waitFor("› see @a.json\n");
  terminal.type(" @b");
  await terminal.waitFor("→ b.md\n");
  terminal.type("\r");
  await terminal.waitFor("› see @a.json @b.md\n");
  expect(model.requests).toHaveLength(1);
});

test("a large paste is folded, deleted by one key, and sent in full", async () => {
  const { terminal, model } = await openFull([{ text: "Fine." }]);
  const text = Array.from({ length: 312 }, (_, index) => `line ${index}`).join("\r");
  const paste = `\u001b[200~${text}\u001b[201~`;
  terminal.type(`so: ${paste}`);
  await terminal.waitFor("› so: [Pasted 312 lines]\n");
  terminal.type("\u007f");
  await terminal.waitFor("› so:\n");
  terminal.type(`${paste} end`);
  await terminal.waitFor("› so: [Pasted 312 lines] end\n");
  terminal.type(keys.enter);
  await terminal.waitFor("Fine.");
  expect(lastSaid(model)).toBe(`so: ${text.replaceAll("\r", "\n")} end`);
});

test("a paste runs nothing, whatever it contains", async () => {
  const { terminal, model } = await openFull();
  terminal.type("\u001b[200~one\u001b[201~\r/quit\r\u0003\u001b[201~");
  await terminal.waitFor("› one\n  /quit");
  expect(model.requests).toHaveLength(0);
});

test("Ctrl-G opens the draft in $EDITOR", async () => {
  const cwd = await tempDir({ "editor.sh": 'cp "$1" seen.txt; printf "from the\\neditor\\n" > "$1"\n' });
  const { terminal } = await openFull([], { cwd, env: { EDITOR: `sh ${join(cwd, "editor.sh")}` } });
  terminal.type(`half a thought${keys.ctrlG}`);
  await terminal.waitFor("› from the\n  editor\n");
  expect(readFileSync(join(cwd, "seen.txt"), "utf8")).toBe("half a thought");
});

test("! runs a command as part of the conversation, !! outside it", async () => {
  const { terminal, model } = await openFull([{ text: "Fine." }]);
  terminal.type("!echo in; exit 3\r");
  await terminal.waitFor(/! echo in; exit 3\n {2}in\n {2}exit 3/);
  terminal.type("!!echo out\r");
  await terminal.waitFor(/^out\n\n!! echo out\n {2}exit 0/m);
  terminal.type("go on\r");
  await terminal.waitFor("Fine.");
  const said = JSON.stringify(model.requests.at(-1)?.messages);
  expect(said).toContain("echo in; exit 3");
  expect(said).not.toContain("echo out");
});

test("understands keys in the kitty protocol", async () => {
  const { terminal } = await openFull([{ text: "It begins", hangs: true }]);
  terminal.type("go\r");
  await terminal.waitFor("It begins");
  terminal.type("\u001b[27u");
  await terminal.waitFor("Interrupted.");
  terminal.type("words\u001b[97;5u>\u001b[99;5u");
  await terminal.waitFor(`${rule}\n›\n`);
  terminal.type("\u001b[99;5u");
  await terminal.waitFor("Ctrl-C again");
  terminal.type("\u001b[99;5u");
  expect(await terminal.exitCode).toBe(0);
});

test("completions leave room for the editor in a low window", async () => {
  const { terminal } = await openFull([], { rows: 10 });
  terminal.type("/");
  const menu = await terminal.waitFor("/resume");
  const visible = menu.split("\n").slice(-10).join("\n");
  expect(visible).toMatch(/─\n› \/\n─+\n {2}→ \/resume/);
  expect(visible).toMatch(/\nask · [^\n]*$/);
});

test.each([
  [maxPasteLength, false],
  [maxPasteLength + 1, true],
])("says that a paste is cut: %d characters", { timeout: 60_000 }, async (length, isCut) => {
  const { terminal } = await openFull([]);
  terminal.type(`\u001b[200~${"x".repeat(length)}\u001b[201~`);
  await terminal.waitFor(`[Pasted ${maxPasteLength} characters]`);
  expect(terminal.screen().includes("The paste is cut to 1048576 characters.")).toBe(isCut);
});
