// @module-tag tables
import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { commands, findCommand, firstWords, isCommandGroup } from "../src/args/commands.ts";
import { type CommandSyntax, mainOptions, type Option } from "../src/args/option.ts";
import { parseArgv } from "../src/args/parse-argv.ts";
import { nearestMode, otherAnswer, otherWords } from "../src/help/other-agents.ts";
import { slashCommandTable } from "../src/help/slash-command-table.ts";
import { topics } from "../src/help/topics.ts";
import { ikigai } from "./ikigai.ts";

const allOptions = Object.values<CommandSyntax>(commands).flatMap(({ options }) => Object.keys(options));

/** The options of ikigai, as typed. */
const own = Object.entries<Option>(mainOptions).flatMap(([name, { short }]) => [`--${name}`, `-${short}`]);

test.each(otherWords)("%s is not a word of ikigai, and the answer names only what there is", (word) => {
  const answer = otherAnswer(word) ?? "";
  const [group = "", name] = word.split(" ");
  if (name !== undefined) expect([isCommandGroup(group), findCommand([group, name])]).toEqual([true, undefined]);
  else if (word.startsWith("/")) expect(slashCommandTable).not.toHaveProperty(word.slice(1));
  else expect([...own, ...firstWords]).not.toContain(word);
  for (const [, option = ""] of answer.matchAll(/(?<= )--([a-z][a-z-]+)/g))
    expect([...Object.keys(mainOptions), ...allOptions, "scope"]).toContain(option);
  for (const [, topic = ""] of answer.matchAll(/ikigai help ([a-z]+)/g)) expect(topics).toHaveProperty(topic);
  for (const [, words = ""] of answer.matchAll(
    /(?<=ikigai )((?:tool|config|mcp|hook) [a-z]+|[a-z]+\b(?= [A-Z]|$|\.))/g,
  ))
    expect(commands).toHaveProperty([words]);
});

describe("a message is one argument, or follows --", () => {
  test.each([
    [["fix the bug"], "fix the bug"],
    [["models are slow"], "models are slow"],
    [["--", "fix", "the", "bug"], "fix the bug"],
    [["--", "mcp"], "mcp"],
    [["--continue", "why is a = b"], "why is a = b"],
  ])("%j", (argv, message) => {
    expect(parseArgv(argv)).toMatchObject({ kind: "repl", message });
  });

  test.each([
    [["review", "-p"], "review"],
    [["-p", "--", "fix", "it"], "fix it"],
  ])("%j, with -p", (argv, prompt) => {
    expect(parseArgv(argv)).toMatchObject({ kind: "print", prompt });
  });

  test.each([
    [["fix", "the", "bug"], 'A message is one argument, in quotes: ikigai "fix the bug".'],
    [["-p", "fix", "it"], 'A message is one argument, in quotes: ikigai -p "fix it".'],
    [["confg", "get"], "Did you mean config?"],
    [["--sandbox", "workspace-write", "fix it"], 'in quotes: ikigai "workspace-write fix it".'],
    [["uninstall", "everything"], 'Unexpected "everything". Usage: ikigai uninstall'],
    [["upgrade", "now"], 'Unexpected "now". Usage: ikigai upgrade'],
    [["models", "are", "slow"], 'Unexpected "slow". Usage: ikigai models'],
    [["mcp", "servers", "are", "slow"], 'Unknown command "ikigai mcp servers".'],
    [["statsu"], 'No command "statsu". This is a command of a conversation: start ikigai and type /status.'],
    [["upgarde"], "Did you mean upgrade? To send it to the model: ikigai -- upgarde"],
    [["tools"], "Did you mean tool?"],
    [["--plain", "doctor"], "Options come after the command: ikigai doctor --plain."],
    [["resume"], "ikigai --resume"],
    [["exec", "fix the tests"], 'No command exec. To run one task and print the answer: ikigai -p "PROMPT"'],
    [["--yolo"], "No option --yolo. To run calls without asking: ikigai --permission-mode allow"],
    [["-p", "x", "--allowedTools", "Bash(git *)"], '--allow "bash(npm test*)"'],
    [["--permission-mode", "acceptEdits"], "Did you mean edits?"],
    [["mcp", "add", "--transport", "http", "x", "https://mcp.example/"], "ikigai mcp add NAME URL"],
    [["mcp", "get", "x"], "ikigai mcp has no command get. To list the servers: ikigai mcp list."],
    [["config", "list"], "ikigai config get"],
    [["tool", "list", "--yolo"], 'Unknown option "--yolo". Known: --json.'],
  ])("%j runs nothing and exits with 2", async (args, advice) => {
    const env = { HOME: await tempDir(), ANTHROPIC_API_KEY: "sk-none" };
    const { exitCode, stdout, stderr } = await ikigai(args, { env });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(advice);
    expect(stderr).toMatch(/\nTry: ikigai [a-z -]+\n$/);
  });
});

test.each([
  ["help model", "help models"],
  ["help permission", "help permissions"],
])("%s answers as %s does", async (near, exact) => {
  const env = { HOME: await tempDir() };
  expect(await ikigai(near.split(" "), { env })).toEqual(await ikigai(exact.split(" "), { env }));
});

test("help explains a word of other agents", async () => {
  const { exitCode, stdout } = await ikigai(["help", "plugins"]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: `${otherAnswer("plugins")}\n` });
});

test("version prints the version", async () => {
  expect(await ikigai(["version"])).toMatchObject({ exitCode: 0, stdout: "0.1.0\n", stderr: "" });
  expect((await ikigai(["__complete", "vers"])).stdout).toContain("version\tprint the version\n");
});

test.each([
  ["yolo", "allow"],
  ["Bypass-Permissions", "allow"],
  ["default", "ask"],
  ["read-only", "plan"],
  ["dontAsk", "deny"],
  ["pln", "plan"],
  ["ALLOW", "allow"],
  ["constructor", undefined],
])("%s probably means the mode %s", (word, mode) => {
  expect(nearestMode(word)).toBe(mode);
});

test.each([
  [["-p", "hi", "--model", "nope"], 2, 'Expected a model as provider/model, got "nope".'],
  [["-p", "hi", "--model", "antropic/x"], 2, "Did you mean anthropic/x?"],
  [["init", "--dry-run", "--model", "nope"], 2, 'got "nope"'],
  [["--model", "nope", "hi"], 2, 'got "nope"'],
  [["-p", "hi", "--model", "openai/gpt-none"], 1, "OPENAI_API_KEY"],
])("%j exits with %d", async (args, code, message) => {
  const { exitCode, stderr } = await ikigai(args, { env: { HOME: await tempDir() } });
  expect(stderr).toContain(message);
  expect(exitCode).toBe(code);
});
