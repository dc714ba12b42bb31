// @module-tag sampled
import { existsSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMacOs } from "@ikigai/system";
import { isRunning, tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { hasBubblewrap } from "../has-bubblewrap.ts";
import { until } from "../ikigai.ts";
import { shippedTools } from "../shipped-tools.ts";
import { keys, openFull } from "./open-full.ts";

/** An image of one pixel. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

test("/context shows what fills the window, schemas included", async () => {
  const { terminal } = await openFull([{ text: "Fine." }]);
  terminal.type("hello\r");
  await terminal.waitFor("Fine.");
  terminal.type("/context\r");
  const screen = await terminal.waitFor("context window unknown");
  expect(screen).toMatch(/ {2}schema of bash +\d+ {2}█+\n/);
  expect(screen).toMatch(/ {2}your messages +\d+/);
});

test("/compact does not compare the provider's count with an estimate", async () => {
  const { terminal } = await openFull([{ text: "Fine. ".repeat(2_000) }, { text: "The summary." }]);
  terminal.type("hello\r");
  // The footer has the count once the turn has ended.
  await terminal.waitFor(/context 110 ·/);
  terminal.type("/compact\r");
  const screen = await terminal.waitFor(/Compacted .* tokens\./);
  const [, before, after] = /Compacted ([\d.]+) k → ([\d.]+) k tokens/.exec(screen) ?? [];
  // The server has counted 110 tokens.
  expect(Number(before)).toBeGreaterThan(Number(after) + 1);
});

test("/compact has the model summarize the conversation, with a focus to keep", async () => {
  const { terminal, model } = await openFull([{ text: "Fine." }, { text: "The summary." }, { text: "On." }]);
  terminal.type("hello\r");
  await terminal.waitFor("Fine.");
  terminal.type("/compact the colour\r");
  const screen = await terminal.waitFor(/Compacted .* tokens\./);
  // The instructions and the schemas are still sent: the footer counts them too.
  const [, left = ""] = /(?:→|to) (.+?) tokens/.exec(screen) ?? [];
  expect(screen).toContain(`context ${left} ·`);
  expect(JSON.stringify(model.requests[1]?.messages)).toContain("Above all keep: the colour");
  terminal.type("go on\r");
  await terminal.waitFor("On.");
  expect(JSON.stringify(model.requests[2]?.messages)).toContain("The summary.");
});

test("/jobs shows background jobs, and quitting asks about them", async () => {
  const cwd = await tempDir();
  const command = "echo $$ > pid; echo started; sleep 60";
  const calls = [{ name: "bash", arguments: { command, background: true } }];
  const { terminal } = await openFull([{ calls }, { text: "It runs." }], {
    cwd,
    args: ["--allow", "bash"],
    columns: 74,
  });
  terminal.type("start it\r");
  await terminal.waitFor("It runs.");
  await until(() => existsSync(join(cwd, "pid")) && readFileSync(join(cwd, "pid"), "utf8") !== "", "the job");
  const pid = Number(readFileSync(join(cwd, "pid"), "utf8"));
  terminal.type("/jobs\r");
  await terminal.waitFor(/Background jobs\n› 1 {2}echo \$\$.* pid \d+, started just now/);
  terminal.type("\r");
  // No choice is split over two lines.
  await terminal.waitFor("\necho $$ > pid; echo started; sleep 60   l show log   e end it\nesc cancel\n");
  terminal.type("l");
  await terminal.waitFor(/^started\n/);
  terminal.type("q");
  await terminal.waitFor("It runs.");
  terminal.type(keys.ctrlD);
  await terminal.waitFor(/Still running in the background:\n.*sleep 60[\s\S]*Quit\?/);
  terminal.type(keys.escape);
  await terminal.waitFor(/─\n›\n─/);
  terminal.type(keys.ctrlD);
  await terminal.waitFor("Quit?");
  terminal.type("n");
  await terminal.waitFor(/─\n›\n─/);
  terminal.type(keys.ctrlD);
  await terminal.waitFor("Quit?");
  terminal.type("e");
  expect(await terminal.exitCode).toBe(0);
  expect(isRunning(pid)).toBe(false);
});

test.skipIf(!hasBubblewrap)("quitting says which jobs end, and the log of a job is no symbolic link", async () => {
  const command = "echo started; sleep 60";
  const log = 'ln -sf /etc/passwd "$(ls /tmp/ikigai-*/outputs/bash-1.txt)"';
  const calls = (one: object) => ({ calls: [{ name: "bash", arguments: one }] });
  const { terminal } = await openFull(
    [calls({ command, background: true }), calls({ command: log }), { text: "It runs." }],
    { args: ["--permission-mode", "auto"] },
  );
  terminal.type("start it\r");
  await terminal.waitFor("It runs.");
  terminal.type("/jobs\r");
  await terminal.waitFor("Background jobs");
  terminal.type("\r");
  await terminal.waitFor("l show log");
  terminal.type("l");
  await terminal.waitFor("symbolic link");
  expect(terminal.screen()).not.toContain("root:");
  terminal.type("q");
  await terminal.waitFor("It runs.");
  terminal.type(keys.ctrlD);
  await terminal.waitFor(/Ends with ikigai: echo started; sleep 60 \(job 1\)[\s\S]*Quit\? +y end and quit/);
  terminal.type(keys.ctrlD);
  expect(await terminal.exitCode).toBe(0);
});

test("files in commands/ are commands that take arguments", async () => {
  const content = "---\ndescription: Look at a file\nargument-hint: FILE\n---\nReview $ARGUMENTS well.\n";
  const home = await tempDir({ ".ikigai/commands/review.md": content });
  const { terminal, model } = await openFull([{ text: "Looked." }], { env: { HOME: home } });
  terminal.type("/rev");
  await terminal.waitFor("/review FILE  Look at a file (user)");
  terminal.type("iew a.ts\r");
  await terminal.waitFor("Looked.");
  expect(model.requests[0]?.messages.at(-1)?.content).toBe("Review a.ts well.");
});

test("/permissions adds and removes rules", async () => {
  const home = await tempDir();
  const config = join(home, ".ikigai/config.json");
  const rules = () => JSON.parse(readFileSync(config, "utf8")).permission.rules;
  const { terminal } = await openFull([], { env: { HOME: home } });
  terminal.type("/permissions\r");
  await terminal.waitFor("add a deny rule");
  terminal.type("add a deny\r");
  await terminal.waitFor("Rule (deny)");
  terminal.type("bash(rm *)\r");
  await terminal.waitFor("deny bash(rm *)\n");
  expect(rules()).toEqual([{ deny: "bash(rm *)" }]);
  terminal.type("bash(rm\r");
  await terminal.waitFor("remove it");
  terminal.type("remove\r");
  await until(() => rules().length === 0, "the rule to go");
  terminal.type(keys.escape);
  await terminal.waitFor(/─\n›\n─/);
  terminal.type("/permissions plan\r");
  await terminal.waitFor("\nplan · ");
});

test("/permissions adds an allow rule below a deny rule, keeps a rule that is not valid, and marks this session's", async () => {
  const content = '{"permission":{"rules":[{"deny":"bash(git push*)"}]}}';
  const home = await tempDir({ ".ikigai/config.json": { content, mode: 0o600 } });
  const config = join(home, ".ikigai/config.json");
  const rules = () => JSON.parse(readFileSync(config, "utf8")).permission.rules;
  const { terminal } = await openFull([], { env: { HOME: home }, args: ["--allow", "bash(make)"] });
  terminal.type("/permissions\r");
  await terminal.waitFor(/allow bash\(make\) +\(this session\)\n.*deny bash\(git push\*\)\n/);
  await terminal.waitFor(/add an allow rule +saved in ~\/\.ikigai\/config\.json/);
  terminal.type("add an allow\r");
  await terminal.waitFor("Rule (allow)");
  terminal.type("bash( *)\r");
  await terminal.waitFor(/Unexpected whitespace at the beginning of the pattern[^\0]*: bash\( \*\)/);
  terminal.type("\u0015bash(git *)\r");
  await terminal.waitFor("Added below `deny bash(git push*)`, which still denies.");
  await terminal.waitFor(/deny bash\(git push\*\)\n.*allow bash\(git \*\)\n/);
  expect(rules()).toEqual([{ deny: "bash(git push*)" }, { allow: "bash(git *)" }]);
  terminal.type("bash(make\r");
  await terminal.waitFor("edit it");
  terminal.type("edit\r");
  await terminal.waitFor("Rule (allow)");
  terminal.type("\u0015bash(make all)\r");
  await terminal.waitFor(/allow bash\(make all\) +\(this session\)\n/);
  expect(rules()).toEqual([{ deny: "bash(git push*)" }, { allow: "bash(git *)" }]);
});

test("/model switches the model, Ctrl-P switches back, Ctrl-T changes the thinking level", async () => {
  const { terminal } = await openFull([{ text: "Fine." }]);
  terminal.type("/model openai-compatible/other\r");
  await terminal.waitFor("Model: openai-compatible/other");
  await terminal.waitFor(/openai-compatible\/other$/);
  terminal.type("\u0010");
  await terminal.waitFor(/openai-compatible\/m$/);
  terminal.type(keys.ctrlT);
  await terminal.waitFor("openai-compatible/m (none)");
  terminal.type(keys.ctrlT);
  await terminal.waitFor("openai-compatible/m (low)");
  terminal.type("/thinking default\r");
  await terminal.waitFor("Thinking: provider default");
});

test("/copy sends the last answer to the terminal, and /config hides API keys", async () => {
  const home = await tempDir({
    ".ikigai/config.json": { content: '{"providers":{"openai":{"apiKey":"sk-secret"}}}', mode: 0o600 },
  });
  const { terminal } = await openFull([{ text: "The **answer**." }], { env: { HOME: home } });
  terminal.type("ask\r");
  await terminal.waitFor("The answer.");
  terminal.type("/copy\r");
  await terminal.waitFor("Sent 15 characters to the clipboard.");
  expect(terminal.raw()).toContain(`\u001b]52;c;${Buffer.from("The **answer**.").toString("base64")}\u0007`);
  terminal.type("/config\r");
  await terminal.waitFor('"apiKey": "…"');
  expect(terminal.raw()).not.toContain("sk-secret");
  terminal.type("/doctor\r");
  await terminal.waitFor(/Directories\n {2}project:\s/);
});

test("/doctor says that the directory of the conversation is gone", async () => {
  const cwd = await tempDir();
  const { terminal } = await openFull([], { cwd });
  rmdirSync(cwd);
  terminal.type("/doctor\r");
  // The path may be longer than a row.
  await terminal.waitFor(/Cannot\s+run\s+ikigai\s+doctor\s[\s\S]*does\s+not\s+exist\.\s+Create/);
});

test("the theme follows the terminal or the configuration", async () => {
  const light = "\u001b[48;5;254m";
  const { terminal } = await openFull([{ text: "Fine." }]);
  expect(terminal.raw()).toContain("\u001b]11;?\u0007");
  terminal.type("\u001b]11;rgb:ffff/ffff/f0f0\u0007");
  await new Promise((settle) => setTimeout(settle, 200));
  terminal.type("hello\r");
  await terminal.waitFor("Fine.");
  expect(terminal.raw()).toContain(`${light}`);
  const home = await tempDir({ ".ikigai/config.json": { content: '{"screen":{"theme":"dark"}}', mode: 0o600 } });
  const other = await openFull([{ text: "Fine." }], { env: { HOME: home } });
  other.terminal.type("\u001b]11;rgb:ffff/ffff/f0f0\u0007hello\r");
  await other.terminal.waitFor("Fine.");
  expect(other.terminal.raw()).toContain("\u001b[48;5;236m");
});

/** The output without titles and colour queries, which also end in a bell. */
function withoutNames(raw: string): string {
  const [first = "", ...parts] = raw.split("\u001b]");
  return [first, ...parts.map((part) => part.slice(part.indexOf("\u0007") + 1))].join("");
}

test("the window gets a title and a bell, unless they are switched off", async () => {
  const loud = await openFull([{ text: "Fine." }]);
  // The user looks at another window.
  loud.terminal.type("\u001b[O");
  loud.terminal.type("hello\r");
  await until(() => withoutNames(loud.terminal.raw()).includes("\u0007"), "a bell");
  expect(loud.terminal.raw()).toContain("\u001b]0;* ikigai ikigai-test-");
  const settings = '{"screen":{"bell":false,"title":false}}';
  const home = await tempDir({ ".ikigai/config.json": { content: settings, mode: 0o600 } });
  const quiet = await openFull([{ text: "Fine." }], { env: { HOME: home } });
  quiet.terminal.type("\u001b[O");
  quiet.terminal.type("hello\r");
  await quiet.terminal.waitFor("Fine.");
  await quiet.terminal.waitFor(/─\n›\n─/);
  expect(withoutNames(quiet.terminal.raw())).not.toContain("\u0007");
  expect(quiet.terminal.raw()).not.toContain("\u001b]0;");
});

test("an image after @ is sent to the model", async () => {
  const png = Buffer.from(dot, "base64");
  const cwd = await tempDir({ "a picture.png": png });
  const { terminal, model } = await openFull([{ text: "A dot." }], { cwd });
  terminal.type("what is @pic");
  await terminal.waitFor("→ a picture.png");
  terminal.type("\t?");
  await terminal.waitFor('› what is @"a picture.png"?');
  terminal.type("\r");
  await terminal.waitFor("A dot.");
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("data:image/png;base64,iVBORw0KGgo");
});

test("Ctrl-V mentions the clipboard's image", async () => {
  const png = Buffer.from(dot, "base64");
  const bin = await tempDir({ "dot.png": png });
  writeFileSync(join(bin, "xclip"), `#!/bin/sh\ncat ${join(bin, "dot.png")}\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:${process.env.PATH}`, DISPLAY: ":9" };
  const { terminal, model } = await openFull([{ text: "A dot." }], { env });
  terminal.type("what is \u0016");
  await terminal.waitFor(/› what is @\S+pasted-\w+\.png/);
  terminal.type("?\r");
  await terminal.waitFor("A dot.");
  expect(JSON.stringify(model.requests[0]?.messages)).toContain(`data:image/png;base64,${dot}`);
});

test.skipIf(isMacOs)("Ctrl-V without a clipboard says how else to attach an image", async () => {
  const { terminal } = await openFull([], { env: { DISPLAY: undefined, WAYLAND_DISPLAY: undefined } });
  terminal.type("\u0016");
  await terminal.waitFor("No clipboard found. To attach an image, type @ and the file's name, or drop the file.");
});

test("the footer shows how full the context window is, if the server reports its size", async () => {
  const { terminal } = await openFull([{ text: "Fine." }], { contextWindow: 1_000 });
  terminal.type("hello\r");
  await terminal.waitFor("Fine.");
  await terminal.waitFor("context 11 % of 1 k · openai-compatible/m");
});

test("/tool lists and shows tools, /refresh finds new ones", async () => {
  const home = await tempDir({ ".ikigai/tools/": "" });
  const { terminal } = await openFull([], { env: { HOME: home } });
  const schema = '{"name":"today","description":"Tells the date","parameters":{"type":"object","properties":{}}}';
  const script = `#!/bin/sh\nif [ "$1" = --schema ]; then echo '${schema}'; exit; fi\n`;
  writeFileSync(join(home, ".ikigai/tools/today-tool"), script, { mode: 0o755 });
  terminal.type("/refresh\r");
  await terminal.waitFor(`Tool registry refreshed: ${shippedTools.length + 1} tools loaded`);
  terminal.type("/tool\r");
  await terminal.waitFor(/Available tools:\n[\s\S]*today \(.*today-tool\)/);
  terminal.type("/tool today\r");
  await terminal.waitFor(/Tool: today\nPath: .*\nSchema:\n\{\n {2}"name": "today",/);
});
