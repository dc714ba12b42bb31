import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { bin, ikigai } from "./ikigai.ts";

/** By the word that a command line begins with, where it is not the help on everything. */
const hints: Readonly<Record<string, RegExp>> = {
  tool: /\nTry: ikigai tool( list| show| new)? --help\n$/,
  trust: /\nTry: ikigai trust --help\n$/,
  help: /\nTry: ikigai help\n$/,
  completion: /\nTry: ikigai completion --help\n$/,
  doctor: /\nTry: ikigai doctor --help\n$/,
};

test.each([
  [
    ["tols"],
    'Expected a command (tool, replay, config, trust, doctor, completion, help) or a message, got "tols". To say that to the model: ikigai -- tols. Did you mean tool?',
  ],
  [["tols", "list"], 'got "tols list". To say that to the model: ikigai -- tols list. Did you mean tool?'],
  [["docter"], "Did you mean doctor?"],
  [["list"], "To say that to the model: ikigai -- list. Did you mean tool list?"],
  [["--frob"], 'got the option "--frob".'],
  [["-p", "x", "--output-format", "yaml"], 'Expected --output-format to be text, json, stream-json, got "yaml".'],
  [["-p", "x", "--max-turns", "none"], 'Expected --max-turns to be a whole number from 1, got "none".'],
  [
    ["-p", "x", "--permission-mode", "yolo"],
    'Expected --permission-mode to be ask, edits, plan, allow, deny, got "yolo".',
  ],
  [["-p", "x", "--model"], "Expected --model PROVIDER/MODEL, got no value."],
  [["-p", "x", "--model", "--allow"], "Expected --model PROVIDER/MODEL, got --allow."],
  [["-p", "x", "--allow", "ba sh"], '--allow "ba sh" is not a rule: Unexpected " " in a tool\'s name.'],
  [["-p"], 'Expected a prompt, got an empty one. Write: ikigai -p "PROMPT"'],
  [["-p", "x", "--resume"], "Expected --resume ID beside -p, got no ID. --continue goes on with the last session."],
  [["--output-format", "json"], 'Expected -p "PROMPT" beside --output-format, got no -p.'],
  [["--help=x"], 'Expected --help without a value, got "x".'],
  [
    ["tool"],
    'Expected one of list, show, call, check, new, add, update, remove, log after "ikigai tool", got nothing.',
  ],
  [["tool", "lst"], 'got the unknown command "lst". Did you mean list?\nTry: ikigai tool --help\n'],
  [["tool", "frobnicate", "x"], 'got the unknown command "frobnicate".\nTry: ikigai tool --help\n'],
  [
    ["tool", "list", "--jsn"],
    'Expected --json, got the option "--jsn". Did you mean --json?\nTry: ikigai tool list --help\n',
  ],
  [["-p", "x", "--modle", "offline"], 'got the option "--modle". Did you mean --model?'],
  [["help", "permisions"], 'got "permisions". Did you mean permissions?'],
  [["help", "tool", "chek"], 'got "chek". Did you mean check?'],
  [["tool", "list", "x"], 'Expected ikigai tool list [--json], got "x" at the end.'],
  [["tool", "show"], "Expected ikigai tool show NAME, got nothing at the end."],
  [["trust", "--show", "--revoke"], "Expected --show or --revoke, got both."],
  [["help", "nix"], 'got "nix".'],
  [
    ["help", "tool", "nix"],
    'Expected one of list, show, call, check, new, add, update, remove, log after "ikigai help tool", got "nix".',
  ],
  [["completion", "tcsh"], 'Expected bash, zsh, fish, got "tcsh".'],
  [["completion"], "Expected ikigai completion bash|zsh|fish, got nothing at the end."],
  [["tool", "new", "x"], "Expected --lang bash|python|node|go|typescript, got none."],
  [["doctor", "now"], 'Expected ikigai doctor [--sandbox] [--sandbox-network], got "now" at the end.'],
])("%j is wrong usage", async (args, message) => {
  const { exitCode, stdout, stderr } = await ikigai(args);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  expect(stderr).toContain(message);
  expect(stderr).toMatch(hints[args[0] ?? ""] ?? /\nTry: ikigai --help\n$/);
});

test.each([["--help"], ["-h"]])("%s prints the help", async (arg) => {
  const { exitCode, stdout, stderr } = await ikigai([arg]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(/^ikigai: a terminal coding agent.*\n\nUsage:\n/);
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThan(80);
});

test.each([["--version"], ["-v"]])("%s prints the version", async (arg) => {
  expect(await ikigai([arg])).toEqual({ exitCode: 0, stdout: "0.1.0\n", stderr: "" });
});

test.each([
  ["18.20.0", "linux", "Expected Node 20.19 or newer, got 18.20.0."],
  ["20.18.3", "darwin", "Expected Node 20.19 or newer, got 20.18.3."],
  ["22.1.0", "win32", "Expected Linux or macOS, got Windows."],
])("Node %s on %s is told what is missing, in a language it knows", (node, platform, message) => {
  const source = readFileSync(bin, "utf8").replace(/^#!.*/, "");
  // What came with Node 12 and later is a syntax error to older ones.
  expect(source).not.toMatch(/\?\.|\?\?|^import|\bawait\b|#[a-z]/m);
  let stderr = "";
  const write = (text: string) => {
    stderr += text;
  };
  const process = { versions: { node }, platform, stderr: { write }, exitCode: 0 };
  runInNewContext(source, { process });
  expect(stderr).toContain(message);
  expect(process.exitCode).toBe(1);
});
