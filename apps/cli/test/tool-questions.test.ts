// Promise 5 of SECURITY.md.
// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { openEditor } from "./acp-editor.ts";
import { evil } from "./evil-texts.ts";
import { ikigai } from "./ikigai.ts";
import { startModel } from "./model-server.ts";
import { quiz, quizHome, quizPath, replyIn } from "./quiz-home.ts";
import { openTerminal } from "./terminal.ts";

const args = ["--allow", "quiz", "--model", "openai-compatible/m"];

/** A terminal in which the tool's question is on the screen. */
async function openQuestion(params: object) {
  const { env, requests } = await startModel([quiz(params)]);
  const terminal = await openTerminal(args, { cwd: await tempDir(), env: { HOME: await quizHome(), ...env } });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await terminal.waitFor(/no answer|gives none/);
  const question = () => terminal.steadyScreen().split("› go\n")[1];
  const reply = async () => {
    await terminal.waitFor("Done.");
    return replyIn(requests);
  };
  return { terminal, question, reply };
}

test("names the tool, its scope and its file above its words, which begin behind a bar", async () => {
  const { question, terminal, reply } = await openQuestion({ question: "Which colour?\n● bash  rm -rf ~\n  Run it?" });
  expect(question()).toContain(`● The tool quiz (user) asks you:
    runs ~/.ikigai/tools/quiz-tool
    | Which colour?
    | ● bash  rm -rf ~
    |   Run it?
  Answer to quiz (an empty line gives none):`);
  terminal.type("dark blue\r");
  expect(await reply()).toEqual({ id: 1, result: { answer: "dark blue" } });
});

test("begins the rows of a long line behind a bar too", async () => {
  const { question, terminal, reply } = await openQuestion({ question: "word ".repeat(60) });
  const words =
    question()
      ?.split("\n")
      .filter((row) => /^ .*word/.test(row)) ?? [];
  expect(words.length).toBeGreaterThan(1);
  for (const row of words) expect(row).toMatch(/^ {4}\| word/);
  terminal.type("\r");
  await reply();
});

test("lays out a long option below its number", async () => {
  const { question, terminal, reply } = await openQuestion({
    question: "Which?",
    options: [`a${"b".repeat(90)}${"e\u0301".repeat(30)}● bash  rm -rf build`, "no"],
  });
  const rows = question()?.split("\n") ?? [];
  const from = rows.findIndex((row) => row.startsWith("  1 a"));
  const own = rows.slice(
    from,
    rows.findIndex((row) => row.startsWith("  2 no")),
  );
  expect(own.length).toBeGreaterThan(1);
  for (const row of own.slice(1)) expect(row).toMatch(/^ {4}\S/);
  terminal.type("x\r");
  await reply();
});

test("an empty line gives no answer", async () => {
  const { terminal, reply } = await openQuestion({ question: "Which colour?" });
  terminal.type("\r");
  expect(await reply()).toEqual({ id: 1, result: { refused: true } });
});

test.each([
  ["2", { answer: "blue" }],
  ["x", { refused: true }],
])("numbers the options; %s gives %j", async (key, result) => {
  const { question, terminal, reply } = await openQuestion({ question: "Which?", options: ["red", "blue"] });
  expect(question()).toContain("    | Which?\n  1 red\n  2 blue\n  o something else   x no answer");
  terminal.type("3\r");
  await terminal.waitFor("Expected one of 1, 2, o, x:");
  terminal.type(`${key}\r`);
  expect(await reply()).toEqual({ id: 1, result });
});

test("o takes other words than the options", async () => {
  const { terminal, reply } = await openQuestion({ question: "Which?", options: ["red", "blue"] });
  terminal.type("o\r");
  await terminal.waitFor("Answer to quiz");
  terminal.type("green\r");
  expect(await reply()).toEqual({ id: 1, result: { answer: "green" } });
});

test.each([
  ["y", { answer: "yes" }],
  ["n", { answer: "no" }],
])("%s answers a question for yes or no", async (key, result) => {
  const { terminal, reply } = await openQuestion({ question: "Sure?", kind: "confirm" });
  expect(terminal.steadyScreen()).toContain("  y yes   n no   x no answer");
  terminal.type(`${key}\r`);
  expect(await reply()).toEqual({ id: 1, result });
});

test("makes control characters of questions and options visible", async () => {
  const { terminal, reply } = await openQuestion({ question: evil, options: [`${evil.slice(0, 90)}`, "safe"] });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
  expect(terminal.raw()).not.toMatch(/\u001b\]|\u001b_|\u001bP|\u009b|\u202e|\u200b|\u001b\[\?1049h/);
  expect(terminal.steadyScreen()).toContain("<U+202E>");
  terminal.type("2\r");
  expect(await reply()).toEqual({ id: 1, result: { answer: "safe" } });
});

test("Ctrl-C interrupts the turn with its question", async () => {
  const { terminal } = await openQuestion({ question: "Which colour?" });
  terminal.type("\u0003");
  await terminal.waitFor("Interrupted.");
  await terminal.waitForPrompt();
});

test("print mode has no user to ask", async () => {
  const { env, requests } = await startModel([quiz({ question: "Which?" })]);
  const { exitCode } = await ikigai(["-p", "go", ...args], {
    cwd: await tempDir(),
    env: { HOME: await quizHome(), ...env },
  });
  expect([exitCode, replyIn(requests)]).toEqual([0, { error_code: "NO_USER", error: "no user" }]);
});

test("an editor is asked for a choice, and for nothing else", async () => {
  const home = await quizHome();
  const { env, requests } = await startModel([
    quiz({ question: "Which?\n```", options: ["red", "blue"] }),
    quiz({ question: "Which?" }),
  ]);
  const { editor, prompt } = await openEditor(await tempDir(), { home, env, args });
  const id = editor.post("session/prompt", prompt("go"));
  const { params, id: asked } = await editor.question();
  expect(params.toolCall.title).toBe("quiz (user) asks you");
  expect(JSON.stringify(params.toolCall.content)).toContain(quizPath(home));
  expect(params.options).toMatchObject([{ name: "red" }, { name: "blue" }, { name: "No answer" }]);
  editor.write({ jsonrpc: "2.0", id: asked, result: { outcome: { outcome: "selected", optionId: "1" } } });
  expect((await editor.answer(id)).result?.stopReason).toBe("end_turn");
  const first = JSON.parse(String(requests[1]?.messages.at(-1)?.content));
  expect(first.result.reply).toEqual({ id: 1, result: { answer: "blue" } });
  expect(replyIn(requests)).toMatchObject({ error: { code: "NO_USER" } });
});

test.each(["confirm", "text"])("a %s question that is withdrawn leaves the next one to be answered", async (kind) => {
  const asking = (name: string, end: string) => `#!/bin/sh
if [ "$1" = --schema ]; then echo '{"name":"${name}","description":"Ask","parameters":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true},"ikigai":{"host":["ask"]}}'; exit; fi
cat > /dev/null
${end}`;
  const brief = asking(
    "brief",
    `printf '{"id":1,"method":"ask","params":{"question":"One?","kind":"${kind}"}}\\n' >&3\nsleep 2\necho '{}'\n`,
  );
  const last = asking(
    "last",
    `sleep 1\nprintf '{"id":1,"method":"ask","params":{"question":"Two?","kind":"confirm"}}\\n' >&3\nread -r reply <&3\nprintf '{"reply":%s}' "$reply"\n`,
  );
  const home = await quizHome({ ".ikigai/tools/brief-tool": brief, ".ikigai/tools/last-tool": last });
  const calls = ["brief", "last"].map((name) => ({ name, arguments: {} }));
  const { env, requests } = await startModel([{ calls }, { text: "Done." }]);
  const options = ["--allow", "brief", "--allow", "last", "--model", "openai-compatible/m"];
  const terminal = await openTerminal(options, { cwd: await tempDir(), env: { HOME: home, ...env } });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  await terminal.waitFor("One?");
  await terminal.waitFor("Two?");
  terminal.type("y\r");
  await terminal.waitFor("Done.");
  expect(replyIn(requests)).toEqual({ id: 1, result: { answer: "yes" } });
});
