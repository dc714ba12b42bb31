import { tempDir } from "@ikigai/testing";
import { describe, expect, test } from "vitest";
import { commands } from "../src/args/commands.ts";
import { mainOptions } from "../src/args/main-options.ts";
import type { Option } from "../src/args/option.ts";
import { parseArgv } from "../src/args/parse-argv.ts";
import { nearestMode } from "../src/help/other-mode-words.ts";
import { otherOptionAnswers } from "../src/help/other-option-answers.ts";
import { slashCommandTable } from "../src/help/slash-command-table.ts";
import { topics } from "../src/help/topics.ts";
import { ikigai } from "./ikigai.ts";

describe("an option that ikigai shares with other agents", () => {
  test.each([
    [["-m", "openai/x"], { model: "openai/x" }],
    [["-c"], { session: "last" }],
    [["--continue", "--fork"], { session: "last", isFork: true }],
    [["-r"], { session: "pick" }],
    [["-r", "--plain"], { session: "pick", isPlain: true }],
    [["-r", "abc"], { session: { id: "abc" } }],
    [["--resume", "abc"], { session: { id: "abc" } }],
    [["--permission-mode", "plan"], { permissionMode: "plan" }],
    [["--max-turns", "3"], { maxTurns: 3 }],
    [["--sandbox"], { sandbox: true }],
  ])("%j works", (argv, flags) => {
    expect(parseArgv(argv)).toMatchObject({ kind: "repl", words: [], flags });
  });
});

describe("an option of another agent", () => {
  test.each(Object.entries(otherOptionAnswers))("%s says what to type", async (option, answer) => {
    const known: readonly [string, Option][] = Object.entries(mainOptions);
    expect(known.flatMap(([name, { short }]) => [`--${name}`, `-${short}`])).not.toContain(option);
    expect(() => parseArgv([option, "x"])).toThrow(/^Unknown option/);
    for (const [, name = ""] of answer.matchAll(/(?<!git worktree add DIR.*|@latest)--([a-z][a-z-]+)/g))
      expect([...Object.keys(mainOptions), "lang"]).toContain(name);
    for (const [, name = ""] of answer.matchAll(/ikigai help ([a-z]+)/g)) expect(topics).toHaveProperty(name);
    for (const [, name = ""] of answer.matchAll(/(?<=ikigai )((?:tool|config) [a-z]+|[a-z]+\b(?= [A-Z]|$|\.))/g))
      if (name !== "makes" && name !== "has") expect(commands).toHaveProperty([name]);
    for (const [, name = ""] of answer.matchAll(/ \/([a-z]+)/g)) expect(slashCommandTable).toHaveProperty(name);
  });

  test.each([
    [["--yolo"], "ikigai has no option --yolo. To run calls without asking: --permission-mode allow"],
    [["--dangerously-skip-permissions", "-p", "x"], "--permission-mode allow"],
    [["--full-auto", "fix it"], "--permission-mode allow --sandbox"],
    [["--no-color"], "NO_COLOR=1"],
    [["--mode", "plan"], "--permission-mode MODE"],
    [["--approval-mode=yolo"], "--permission-mode MODE"],
    [["-p", "x", "--allowedTools", "Bash(git *)"], '--allow "bash(npm test*)"'],
    [["--permission-mode", "acceptEdits"], "Did you mean edits?"],
    [["--permission-mode", "bypassPermissions"], "Did you mean allow?"],
    [["--sandbox", "workspace-write", "fix it"], '--sandbox takes no value, got "workspace-write".'],
    [
      ["fix it", "-c", "model=o3"],
      '-c takes no value, got "model=o3". To change a setting: ikigai config set KEY VALUE',
    ],
    [["-p", "--continue", 'model_reasoning_effort="high"', "fix it"], "ikigai config set KEY VALUE"],
  ])("%j runs nothing and exits with 2", async (args, advice) => {
    const HOME = await tempDir();
    const { exitCode, stdout, stderr } = await ikigai(args, { env: { HOME } });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain(advice);
    expect(stderr).toMatch(/\nTry: ikigai --help\n$/);
  });

  test("is an unknown option of a command", async () => {
    const { exitCode, stderr } = await ikigai(["tool", "list", "--yolo"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Unknown option "--yolo". Known: --json.');
  });
});

test.each([
  [["-c", "why is a = b"], ["why is a = b"]],
  [
    ["-c", "fix", "a=b"],
    ["fix", "a=b"],
  ],
  [["-c", "--", "a=b"], ["a=b"]],
  [["-c", "="], ["="]],
])("%j continues with a message", (argv, words) => {
  expect(parseArgv(argv)).toMatchObject({ kind: "repl", words, flags: { session: "last" } });
});

test.each([
  ["yolo", "allow"],
  ["Bypass-Permissions", "allow"],
  ["auto_edit", "edits"],
  ["default", "ask"],
  ["read-only", "plan"],
  ["dontAsk", "deny"],
  ["pln", "plan"],
  ["ALLOW", "allow"],
  ["constructor", undefined],
])("%s probably means the mode %s", (word, mode) => {
  expect(nearestMode(word)).toBe(mode);
});
