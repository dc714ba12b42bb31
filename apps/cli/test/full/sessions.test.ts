// @module-tag sampled
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { until } from "../ikigai.ts";
import type { Step } from "../model-server.ts";
import { openFullScreen, type Terminal } from "../terminal.ts";
import { type FullOptions, keys, openFull } from "./open-full.ts";

/** Opens sessions with the same home and project directories. */
async function place() {
  const [cwd, home] = [await tempDir(), await tempDir()];
  return {
    cwd,
    home,
    open: (steps: readonly Step[] = [], options: FullOptions = {}) =>
      openFull(steps, { cwd, ...options, env: { HOME: home, ...options.env } }),
  };
}

async function say(terminal: Terminal, text: string, answer: string): Promise<void> {
  terminal.type(`${text}\r`);
  await terminal.waitFor(`\n${text.startsWith("/") ? "" : "◆ "}${answer}\n`);
}

async function leave(terminal: Terminal): Promise<void> {
  terminal.type(keys.ctrlD);
  await terminal.exitCode;
}

test("-c continues the last session of the directory, and shows its messages and calls", async () => {
  const { open } = await place();
  const calls = [{ name: "bash", arguments: { command: "echo marker" } }];
  const first = await open([{ calls }, { text: "It **was** done." }], { args: ["--allow", "bash"] });
  await say(first.terminal, "do it", "It was done.");
  await leave(first.terminal);
  const { terminal, model } = await open([{ text: "Again." }], { args: ["-c"] });
  await terminal.waitFor(/› do it\n\n● bash {2}echo marker\n {2}marker\n {2}exit 0 · \d+ ms\n\n◆ It was done\./);
  await say(terminal, "once more", "Again.");
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("marker");
});

test("--resume lists sessions with first words, age and turns; typing filters", async () => {
  const { open } = await place();
  for (const words of ["paint the shed", "mow the lawn"]) {
    const { terminal } = await open([{ text: "Fine." }]);
    await say(terminal, words, "Fine.");
    await leave(terminal);
  }
  const { terminal } = await open([], { args: ["--resume"] });
  await terminal.waitFor(/Session\n› mow the lawn +just now · 1 turn\n {2}paint the shed +just now/);
  terminal.type("shed\r");
  await terminal.waitFor("› paint the shed\n\n◆ Fine.");
});

test("text typed while --resume starts filters the list", async () => {
  const { cwd, home, open } = await place();
  const { terminal: first } = await open([{ text: "Fine." }]);
  await say(first, "paint the shed", "Fine.");
  await leave(first);
  const terminal = await openFullScreen(["--model", "offline", "--resume"], { cwd, env: { HOME: home } });
  terminal.type("paint");
  await terminal.waitFor(/Session {2}paint\n› paint the shed/);
  terminal.type("\r");
  await terminal.waitFor(/› paint the shed\n\nFine\./);
});

test("--resume asks about trust once the session is chosen", async () => {
  const { cwd, open } = await place();
  const { terminal: first } = await open([{ text: "Fine." }]);
  await say(first, "paint the shed", "Fine.");
  await leave(first);
  mkdirSync(join(cwd, ".ikigai/tools"), { recursive: true });
  writeFileSync(join(cwd, ".ikigai/tools/x-tool"), "#!/bin/sh\n", { mode: 0o755 });
  const { terminal } = await open([], { args: ["--resume"] });
  expect(await terminal.waitFor("› paint the shed ")).not.toContain("Trust this?");
  terminal.type("\r");
  await terminal.waitFor(/› paint the shed\n\n◆ Fine\.[\s\S]*Trust this\?/);
});

test("a session that is open elsewhere and not copied leads back to the list of --resume", async () => {
  const { open } = await place();
  const first = await open([{ text: "Fine." }]);
  await say(first.terminal, "mine", "Fine.");
  const { terminal } = await open([], { args: ["--resume"] });
  await terminal.waitFor("› mine ");
  terminal.type("\r");
  await terminal.waitFor("Work on a copy?");
  terminal.type("n");
  await terminal.waitFor(/Session\n› mine /);
  terminal.type(keys.escape);
  expect(await terminal.exitCode).toBe(130);
});

test("Esc in the list of --resume returns to the shell, Esc in that of /resume to the conversation", async () => {
  const { open, home } = await place();
  const { terminal: first } = await open([{ text: "Fine." }]);
  await say(first, "paint the shed", "Fine.");
  await leave(first);
  const { terminal, model } = await open([], { args: ["never sent", "--resume"] });
  await terminal.waitFor("› paint the shed");
  terminal.type(keys.escape);
  expect(await terminal.exitCode).toBe(130);
  expect(model.requests).toEqual([]);
  expect(readdirSync(join(home, ".ikigai/sessions")).filter((name) => name.endsWith(".jsonl"))).toHaveLength(1);
  const inside = await open([{ text: "Still here." }]);
  inside.terminal.type("/resume\r");
  await inside.terminal.waitFor("esc cancels");
  inside.terminal.type(keys.escape);
  await until(() => !inside.terminal.screen().includes("esc cancels"), "the end of the list");
  await say(inside.terminal, "well", "Still here.");
});

test("refuses a session that is open elsewhere, and offers a copy", async () => {
  const { open, cwd, home } = await place();
  const first = await open([{ text: "Fine." }]);
  await say(first.terminal, "mine", "Fine.");
  const second = await openFullScreen(["--model", "offline", "-c"], { cwd, env: { HOME: home } });
  expect(await second.exitCode).toBe(1);
  await second.waitFor(/Session \S+ is open in another ikigai\. To work on\s+a\s+copy/);
  const copy = await open([], { args: ["-c", "--fork"] });
  await copy.terminal.waitFor("› mine\n\n◆ Fine.");
  const third = await open();
  // Text that is not an ID filters the list.
  third.terminal.type("/resume mine\r");
  await third.terminal.waitFor("Session  mine");
  await third.terminal.waitFor("› mine ");
  third.terminal.type("\r");
  await third.terminal.waitFor("Work on a copy?");
  third.terminal.type("y");
  await third.terminal.waitFor("› mine\n\n◆ Fine.");
});

test("/new starts a session, /clear one on an empty screen", async () => {
  const { open, home } = await place();
  const { terminal, model } = await open([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  await say(terminal, "first", "One.");
  await say(terminal, "/new", "New session. Use /resume to return to the previous one.");
  await say(terminal, "second", "Two.");
  terminal.type("/clear\r");
  await terminal.waitFor(/^\s*New session\. Use \/resume to return to the previous one\.[\s─]*›\n/);
  await say(terminal, "third", "Three.");
  expect(model.requests.map(({ messages }) => messages.filter(({ role }) => role === "user").length)).toEqual([
    1, 1, 1,
  ]);
  expect(readdirSync(join(home, ".ikigai/sessions")).filter((name) => name.endsWith(".jsonl"))).toHaveLength(3);
});

test("/fork starts a new session from an earlier message", async () => {
  const { open, home } = await place();
  const { terminal, model } = await open([{ text: "One." }, { text: "Two." }, { text: "Other." }]);
  await say(terminal, "first", "One.");
  await say(terminal, "second", "Two.");
  terminal.type("/fork\r");
  await terminal.waitFor("(the end of the session)");
  terminal.type(`${keys.up}\r`);
  await terminal.waitFor("Forked into a new session.");
  await terminal.waitFor("› second\n─");
  terminal.type(" way");
  await say(terminal, "", "Other.");
  const said = model.requests[2]?.messages.filter(({ role }) => role === "user").map(({ content }) => content);
  expect(said).toEqual(["first", "second way"]);
  expect(readdirSync(join(home, ".ikigai/sessions")).filter((name) => name.endsWith(".jsonl"))).toHaveLength(2);
});

test("/rewind restores the conversation and the files", async () => {
  const { open, cwd } = await place();
  const write = (content: string) => ({ calls: [{ name: "file_write", arguments: { file_path: "a.txt", content } }] });
  const steps = [write("one\n"), { text: "One." }, write("two\n"), { text: "Two." }, { text: "Changed." }];
  const { terminal, model } = await open(steps, { args: ["--allow", "file_write"] });
  await say(terminal, "write one", "One.");
  await say(terminal, "write two", "Two.");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("two\n");
  terminal.type("/rewind\r");
  await terminal.waitFor(/Rewind to before\n {2}write one +just now\n› write two/);
  terminal.type("\r");
  await terminal.waitFor(/a\.txt (?:is|would be) restored[\s\S]*Rewind what\?\n› The conversation and these files/);
  terminal.type("\r");
  await terminal.waitFor("› write two\n─");
  expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\n");
  terminal.type(keys.ctrlC);
  await say(terminal, "differently", "Changed.");
  expect(JSON.stringify(model.requests[4]?.messages)).not.toContain("write two");
});

test("--resume and /resume continue with the model and thinking level of the session", async () => {
  const { open, cwd, home } = await place();
  const { terminal: first, model } = await open([{ text: "Fine." }]);
  await say(first, "/model openai-compatible/other", "Model: openai-compatible/other");
  first.type(keys.ctrlT);
  await first.waitFor("openai-compatible/other (none)");
  await say(first, "paint the shed", "Fine.");
  await leave(first);
  const resumed = await openFullScreen(["--resume"], { cwd, env: { HOME: home, ...model.env } });
  await resumed.waitFor("› paint the shed ");
  resumed.type("\r");
  await resumed.waitFor(/Model: openai-compatible\/other\n[\s\S]*openai-compatible\/other \(none\)$/);
  await leave(resumed);
  const { terminal } = await open([], { args: ["--resume"] });
  await terminal.waitFor("› paint the shed ");
  terminal.type("\r");
  await terminal.waitFor(/Fine\.\n[\s\S]*openai-compatible\/m$/);
  await say(terminal, "/new", "New session. Use /resume to return to the previous one.");
  terminal.type("/resume paint\r");
  await terminal.waitFor("Session  paint");
  terminal.type("\r");
  await terminal.waitFor(/Model: openai-compatible\/other\n[\s\S]*openai-compatible\/other \(none\)$/);
});

test("-c continues with the model and thinking level that were chosen after the last answer", async () => {
  const { open, cwd, home } = await place();
  const { terminal: first, model } = await open([{ text: "Fine." }]);
  await say(first, "paint the shed", "Fine.");
  await say(first, "/model openai-compatible/other", "Model: openai-compatible/other");
  await say(first, "/thinking low", "Thinking: low");
  first.type(keys.ctrlT);
  await first.waitFor("openai-compatible/other (medium)");
  await leave(first);
  const resumed = await openFullScreen(["-c"], { cwd, env: { HOME: home, ...model.env } });
  await resumed.waitFor(/openai-compatible\/other \(medium\)$/);
});

test("/export writes Markdown and HTML, and overwrites no file", async () => {
  const { open, cwd } = await place();
  const { terminal } = await open([{ text: "The **answer**." }]);
  await say(terminal, "ask", "The answer.");
  await say(terminal, "/export md talk.md", "Exported to talk.md");
  await say(terminal, "/export talk.html", "Exported to talk.html");
  expect(readFileSync(join(cwd, "talk.md"), "utf8")).toContain("> ask\n");
  expect(statSync(join(cwd, "talk.md")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(cwd, "talk.html"), "utf8")).toContain("The <strong>answer</strong>.");
  terminal.type("/export md talk.md\r");
  await terminal.waitFor("talk.md already exists. Choose another path: /export PATH");
});

test("/export writes below the home directory if the path begins with ~/", async () => {
  const { open, home } = await place();
  const { terminal } = await open([{ text: "Fine." }]);
  await say(terminal, "ask", "Fine.");
  await say(terminal, "/export ~/talk.md", "Exported to ~/talk.md");
  expect(readFileSync(join(home, "talk.md"), "utf8")).toContain("> ask\n");
});
