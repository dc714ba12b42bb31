import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { findOtherWord } from "../src/args/other-words.ts";
import { commandMeant } from "../src/commands/command-meant.ts";
import { ikigai } from "./ikigai.ts";

test.each([
  ["confg get", "config get"],
  ["confg get model", "config get model"],
  ["cofnig set model offline", "config set model offline"],
  ["configs path", "config path"],
  ["tol list", "tool list"],
  ["tols list", "tool list"],
  ["tolo call bash {}", "tool call bash {}"],
  ["modles openai", "models openai"],
  ["model openai", "models openai"],
  ["loign anthropic", "login anthropic"],
  ["logut google", "logout google"],
  ["hlep permissions", "help permissions"],
  ["truts ./here", "trust ./here"],
  ["repaly 3", "replay 3"],
  ["completoin zsh", "completion zsh"],
  ["doctr", "doctor"],
  ["setpu", "setup"],
  ["list", "tool list"],
])("%s is taken for ikigai %s", (words, meant) => {
  expect(commandMeant(words.split(" "))).toBe(meant);
});

test.each([
  "confg get the tests green",
  "configure eslint",
  "config get a life now please".replace("config", "confg"),
  "tol list all of the files",
  "tools for testing",
  "models compared",
  "modles compared",
  "logins fail",
  "logout fails",
  "helps me",
  "help! fast",
  "trusts me",
  "truss bridges",
  "replays hang",
  "doctr now",
  "setups differ",
  "hello world",
  "hello",
  "fix tests",
  "list files",
  "/status",
  "/cots",
  "get config",
  "run tests",
])("%s is a message", (words) => {
  expect(commandMeant(words.split(" "))).toBeUndefined();
});

test.each([
  [["exec", "fix the tests"]],
  [["run", "fix the tests"]],
  [["ask", "what is this"]],
  [["chat", "hello you"]],
  [["chat"]],
  [["ask"]],
  [["exec", "--full-auto", "fix the tests"]],
])("%j is a command of other agents", async (argv) => {
  expect(findOtherWord(argv)).toBe(argv[0]);
  const end = await ikigai(argv, { env: { HOME: await tempDir(), ANTHROPIC_API_KEY: "sk-none" } });
  expect(end).toMatchObject({ exitCode: 2, stdout: "" });
  expect(end.stderr).toContain('ikigai -p "PROMPT"');
});

test.each(["run tests", "ask me", "chat with the server", "run the tests", "exec fails on macOS"])(
  "%s is not a command of other agents",
  (message) => {
    expect(findOtherWord(message.split(" "))).toBeUndefined();
    expect(findOtherWord([message])).toBeUndefined();
  },
);

test("a mistyped command of two words is not sent to the model", async () => {
  const { exitCode, stdout, stderr } = await ikigai(["confg", "get"], { env: { HOME: await tempDir() } });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(
    'No command "confg get". Did you mean config get? To send it to the model: ikigai -- confg get',
  );
});

test("a command of a conversation may be the first message", async () => {
  const { exitCode, stdout } = await ikigai(["--model", "offline", "/status"], { env: { HOME: await tempDir() } });
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining("offline/plain-requests") });
});

test.each([
  ["statsu", "/status"],
  ["resme", "--resume"],
  ["aply", "type /rewind in a conversation. To send"],
])("%s, a mistyped command of other agents, is answered like that one", async (word, instead) => {
  const { exitCode, stderr } = await ikigai([word], { env: { HOME: await tempDir() } });
  expect(exitCode).toBe(2);
  expect(stderr).toContain(instead);
  expect(stderr).toMatch(new RegExp(`To send it to the model: ikigai -- ${word}\n`));
});

test.each([
  [["-p", "hi", "--model", "nope"], 2, 'Expected a model as provider/model, got "nope".'],
  [["-p", "hi", "--model", "antropic/x"], 2, "Did you mean anthropic/x?"],
  [["-p", "hi", "--model", "openai/"], 2, 'got "openai/"'],
  [["init", "--dry-run", "--model", "nope"], 2, 'got "nope"'],
  [["--model", "nope"], 2, 'got "nope"'],
  [["-p", "hi", "--model", "openai/gpt-none"], 1, "OPENAI_API_KEY"],
])("%j exits with %d", async (args, code, message) => {
  const { exitCode, stderr } = await ikigai(args, { env: { HOME: await tempDir() } });
  expect(stderr).toContain(message);
  expect(exitCode).toBe(code);
});
