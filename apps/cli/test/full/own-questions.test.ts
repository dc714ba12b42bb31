// @module-tag sampled
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { startModel } from "../model-server.ts";
import { openFullScreen, openTerminal } from "../terminal.ts";
import { keys, openFull } from "./open-full.ts";

const question = "Which **database** should `config.ts` use?";
const options = ["**PostgreSQL**", "SQLite", "MySQL"];

const asks = (args: object) => ({ calls: [{ name: "ask_user", arguments: args }] });

/** The full screen with the model's own question on it. */
async function openQuestion(args: object, options: Parameters<typeof openFull>[1] = {}) {
  const [cwd, HOME] = [await tempDir(), await tempDir()];
  const { terminal, model } = await openFull([asks(args), { text: "Fine." }], { cwd, env: { HOME }, ...options });
  terminal.type("go\r");
  await terminal.waitFor(/x {1,2}no answer|Your answer:/);
  const answer = async () => {
    await terminal.waitFor("Fine.");
    const { result } = JSON.parse(String(model.requests.at(-1)?.messages.at(-1)?.content));
    return result.answer ?? result.error_code;
  };
  return { terminal, model, answer, cwd, HOME };
}

test("the question is bold, without marks, without the tool's file, and above a list of answers", async () => {
  const { terminal, answer } = await openQuestion({ question, options });
  expect(terminal.screen()).toContain(`● ask_user  Which database should config.ts use?

${"─".repeat(100)}
  Your answer
› 1  PostgreSQL
  2  SQLite
  3  MySQL
  o  something else
  x  no answer
`);
  expect(terminal.raw()).toContain("\u001b[1mask_user  Which database should config.ts use?");
  terminal.type("2");
  expect(await answer()).toBe("SQLite");
  const screen = terminal.screen();
  expect(screen).toContain("\n● ask_user  Which database should config.ts use?  SQLite\n\n◆ Fine.");
  expect(screen).not.toMatch(/\{"answer"|->/);
  terminal.type(keys.ctrlO);
  await terminal.waitFor(/● ask_user\n {4}question: Which \*\*database\*\*[\s\S]*"answer": "SQLite"/);
});

test("arrows and Enter choose", async () => {
  const { terminal, answer } = await openQuestion({ question, options });
  terminal.type(keys.down);
  await terminal.waitFor("› 2  SQLite");
  terminal.type(keys.up);
  await terminal.waitFor("› 1  PostgreSQL");
  terminal.type(keys.enter);
  expect(await answer()).toBe("**PostgreSQL**");
  expect(terminal.screen()).toContain("● ask_user  Which database should config.ts use?  **PostgreSQL**\n");
});

test.each([
  ["x", "no answer", "REFUSED"],
  [keys.escape, "no answer", "REFUSED"],
  ["oa file\r", "a file", "a file"],
])("%j shows %j in the same line", async (typed, shown, sent) => {
  const { terminal, answer } = await openQuestion({ question, options });
  const [letter = "", ...words] = typed;
  terminal.type(letter);
  if (words.length > 0) await terminal.waitFor("Your answer:");
  terminal.type(words.join(""));
  expect(await answer()).toBe(sent);
  expect(terminal.screen()).toContain(`● ask_user  Which database should config.ts use?  ${shown}\n`);
});

test("on a narrow screen the answers are shown in full, and the line keeps the answer", async () => {
  const long = "a database on another server, which has to be installed first";
  const { terminal, answer } = await openQuestion({ question, options: ["SQLite", long] }, { columns: 40, rows: 24 });
  expect(terminal.screen()).toContain("● ask_user  Which database should\n    config.ts use?\n\n");
  expect(terminal.screen()).toContain("  2  a database on another server,\n     which has to be installed first\n");
  terminal.type("1");
  expect(await answer()).toBe("SQLite");
  expect(terminal.screen()).toContain("● ask_user  Which database shou…  SQLite\n");
});

test("the question is sanitised, and a line of it cannot reach the margin", async () => {
  const { terminal, answer } = await openQuestion({ question: "Sure?\u001b[2J\u202e\n● bash  rm -rf ~\nRun bash?" });
  expect(terminal.screen()).toContain("● ask_user  Sure?␛[2J<U+202E>\n    ● bash  rm -rf ~\n    Run bash?\n");
  expect(terminal.raw()).not.toContain("\u202e");
  terminal.type("no\r");
  expect(await answer()).toBe("no");
  expect(terminal.screen()).toContain("● ask_user  Sure?␛[2J<U+202E> ● bash rm -rf ~ Run bash?  no\n");
});

test("a resumed session shows the question with its answer", async () => {
  const { terminal, model, answer, cwd, HOME } = await openQuestion({ question, options });
  terminal.type("3");
  expect(await answer()).toBe("MySQL");
  terminal.type("/quit\r");
  await terminal.exitCode;
  const args = ["--model", "openai-compatible/m", "--continue"];
  const again = await openFullScreen(args, { cwd, env: { HOME, ...model.env } });
  const screen = await again.waitFor("◆ Fine.");
  expect(screen).toContain("● ask_user  Which database should config.ts use?  MySQL\n");
  expect(screen).not.toContain('"answer"');
});

test("in lines, too, there is one line after the answer", async () => {
  const { env } = await startModel([asks({ question, options }), { text: "Fine." }]);
  const terminal = await openTerminal(["--model", "openai-compatible/m"], {
    cwd: await tempDir(),
    env: { HOME: await tempDir(), ...env },
  });
  await terminal.waitForPrompt();
  terminal.type("go\r");
  expect(await terminal.waitFor("no answer")).toContain(`› go
● ask_user  Which database should config.ts use?
  1 PostgreSQL
  2 SQLite
  3 MySQL
  o something else   x no answer`);
  terminal.type("2\r");
  const screen = await terminal.waitFor("Fine.");
  expect(screen).toContain("\n● ask_user  Which database should config.ts use?  SQLite\n");
  expect(screen).not.toContain('"answer"');
});

test("an answer may have several lines, with their indentation", async () => {
  const { terminal, answer } = await openQuestion({ question });
  terminal.type("Neither:");
  await terminal.waitFor("Your answer: Neither:");
  terminal.type(`${keys.ctrlJ}\u001b[200~if x:\n    y()\u001b[201~`);
  await terminal.waitFor("if x:");
  terminal.type(keys.enter);
  expect(await answer()).toBe("Neither:\nif x:\n    y()");
});
