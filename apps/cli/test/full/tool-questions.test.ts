// Promise 5 of SECURITY.md.
// @module-tag sampled
import { setTimeout as sleep } from "node:timers/promises";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { evil } from "../evil-texts.ts";
import { quiz, quizHome, replyIn } from "../quiz-home.ts";
import { keys, openFull } from "./open-full.ts";

/** The full screen with the tool's question on it. */
async function openQuestion(params: object, options: { readonly rows?: number } = {}) {
  const { terminal, model } = await openFull([quiz(params)], {
    cwd: await tempDir(),
    env: { HOME: await quizHome() },
    args: ["--allow", "quiz"],
    ...options,
  });
  terminal.type("go\r");
  await terminal.waitFor(/no answer/);
  const reply = async () => {
    await terminal.waitFor("Done.");
    return replyIn(model.requests);
  };
  return { terminal, reply };
}

test("shows who asks in the block of the call, and takes a line as the answer", async () => {
  const { terminal, reply } = await openQuestion({ question: "Which colour?\nAny will do." });
  expect(terminal.screen()).toContain(`● The tool quiz (user) asks you:
    runs ~/.ikigai/tools/quiz-tool
    | Which colour?
    | Any will do.
`);
  terminal.type("dark blue\r");
  expect(await reply()).toEqual({ id: 1, result: { answer: "dark blue" } });
  expect(terminal.screen()).toContain("quiz asked: Which colour? Any will do. -> dark blue");
});

test.each([
  { question: "Which?" },
  { question: "Which?", options: ["red", "blue"] },
  { question: "Which?", kind: "confirm" },
])("Esc refuses %j, and the turn continues", async (params) => {
  const { terminal, reply } = await openQuestion(params);
  terminal.type(keys.escape);
  expect(await reply()).toEqual({ id: 1, result: { refused: true } });
  expect(terminal.screen()).toContain("quiz asked: Which? -> no answer");
});

test("says which keys answer to a user who types an option, and takes no letter of it", async () => {
  const { terminal, reply } = await openQuestion({ question: "Which?", options: ["red", "blue", "orange"] });
  terminal.type("bro\r");
  await terminal.waitFor("1 to 3 choose an answer; o lets you write another one.");
  expect(terminal.screen()).toContain("Answer to quiz  bro\n› 1  red\n");
  terminal.type(keys.escape);
  await terminal.waitFor("Answer to quiz\n");
  terminal.type("2");
  expect(await reply()).toEqual({ id: 1, result: { answer: "blue" } });
});

test("numbers the options, and takes other words", async () => {
  const { terminal, reply } = await openQuestion({ question: "Which?", options: ["red   3 no", "blue"] });
  expect(terminal.screen()).toContain("› 1  red 3 no\n  2  blue\n  o  something else\n  x  no answer\n");
  terminal.type("3");
  await terminal.waitFor("1 to 2 choose an answer");
  await terminal.waitFor("Answer to quiz  3\n");
  terminal.type(keys.escape);
  await terminal.waitFor("Answer to quiz\n");
  terminal.type("o");
  await terminal.waitFor("Answer to quiz:");
  terminal.type(keys.escape);
  await terminal.waitFor("something else");
  terminal.type("1");
  expect(await reply()).toEqual({ id: 1, result: { answer: "red   3 no" } });
});

test("a long question is answered after all of it was visible", async () => {
  const question = Array.from({ length: 60 }, (_, n) => `line ${n}`).join("\n");
  const { terminal, reply } = await openQuestion({ question }, { rows: 16 });
  expect(terminal.screen()).toContain("The tool quiz (user) asks you:");
  terminal.type("w");
  await terminal.waitFor("v shows all of it");
  terminal.type("v");
  await terminal.waitFor("q goes back");
  terminal.type("G");
  await terminal.waitFor("line 59");
  terminal.type("q");
  await terminal.waitFor("w write the answer");
  terminal.type("w");
  await terminal.waitFor("Answer to quiz:");
  terminal.type("read\r");
  expect(await reply()).toEqual({ id: 1, result: { answer: "read" } });
});

test("what is being typed does not answer a question that opens meanwhile", async () => {
  const { terminal, model } = await openFull(
    [{ text: "", ...quiz({ question: "Sure?", kind: "confirm" }), waitMs: 900 }],
    {
      cwd: await tempDir(),
      env: { HOME: await quizHome() },
      args: ["--allow", "quiz"],
    },
  );
  terminal.type("go\r");
  await terminal.waitFor("thinking");
  while (!terminal.screen().includes("quiz waits for your answer · Tab")) {
    terminal.type("y");
    await sleep(60);
  }
  terminal.type("y");
  await sleep(300);
  expect(terminal.screen()).toMatch(/\n› y+\n/);
  expect(model.requests).toHaveLength(1);
  terminal.type(`${keys.tab}n`);
  await terminal.waitFor("Done.");
  expect(replyIn(model.requests)).toEqual({ id: 1, result: { answer: "no" } });
});

test("makes control characters visible, also in the answer's line", async () => {
  const { terminal, reply } = await openQuestion({ question: evil.slice(0, 190) });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
  expect(terminal.raw()).not.toMatch(/\u001b\]2;title|\u001b\]52|\u001b\]1337|\u001b_G|\u001bP\+q|\u009b|\u202e/);
  terminal.type("fine\r");
  expect(await reply()).toEqual({ id: 1, result: { answer: "fine" } });
});
