// @module-tag tables
import { readFileSync } from "node:fs";
import { runInNewContext } from "node:vm";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { bin, ikigai } from "./ikigai.ts";

/** The help hint by first word, if it is not that of the overview. */
const hints: Readonly<Record<string, RegExp>> = {
  tool: /\nTry: ikigai tool( list| show| new)? --help\n$/,
  trust: /\nTry: ikigai trust --help\n$/,
  help: /\nTry: ikigai help\n$/,
  completion: /\nTry: ikigai completion --help\n$/,
  doctor: /\nTry: ikigai doctor --help\n$/,
};

test.each([
  [
    ["--sandbox", "--sandbox-network", "tool", "list"],
    "Options come after the command: ikigai tool list --sandbox --sandbox-network.",
  ],
  [["--sandbox", "doctor"], "Options come after the command: ikigai doctor --sandbox."],
  [["tol"], 'No command "tol". Did you mean tool? To send it to the model: ikigai -- tol'],
  [["tols", "list"], 'A message is one argument, in quotes: ikigai "tols list".'],
  [["docter"], "Did you mean doctor?"],
  [["--frob"], 'Unknown option "--frob". Did you mean --fork?\nTry: ikigai --help'],
  [
    ["-p", "x", "--output-format", "yaml"],
    'Expected --output-format to be one of text, json, stream-json, got "yaml".',
  ],
  [["-p", "x", "--max-turns", "none"], 'Expected --max-turns to be a whole number from 1 to 999999999, got "none".'],
  [["-p", "x", "--max-cost", "lots"], 'Expected --max-cost to be a number above 0, got "lots".'],
  [["-p", "x", "--max-minutes", "0"], 'Expected --max-minutes to be a number above 0, got "0".'],
  [["-p", "x", "--goal", " "], "--goal is empty."],
  [["-p", "x", "--max-turns", "1000000000"], 'a whole number from 1 to 999999999, got "1000000000".'],
  [
    ["-p", "x", "--permission-mode", "yolo"],
    'Expected --permission-mode to be one of ask, edits, auto, plan, allow, deny, got "yolo".',
  ],
  [["-p", "x", "--model"], "Missing the value of --model PROVIDER/MODEL."],
  [["-p", "x", "--model", "--allow"], "Missing the value of --model PROVIDER/MODEL, got --allow."],
  [["-p", "x", "--allow", "bash( *)"], '--allow "bash( *)" is not a rule: Unexpected whitespace at the beginning'],
  [["-p", "x", "--allow", "ba sh"], '--allow "ba sh" is not a rule: Unexpected " " in a tool name.'],
  [["-p"], 'Missing a prompt. Write: ikigai -p "PROMPT"'],
  [
    ["-p", "x", "--resume"],
    "Missing the ID of --resume: -p cannot ask. --continue continues this directory's last session.",
  ],
  [["--output-format", "json"], '--output-format needs -p "PROMPT".'],
  [["--help=x"], '--help takes no value, got "x".'],
  [["-p=hi"], '--print takes no value, got "hi".'],
  [
    ["tool", "lst"],
    'Unknown command "ikigai tool lst". Known: list, show, call, path, types, check, eval, new, wrap, export, search, add, allow, update, remove, log. Did you mean list?\nTry: ikigai tool --help\n',
  ],
  [
    ["tool", "frobnicate", "x"],
    'Unknown command "ikigai tool frobnicate". Known: list, show, call, path, types, check, eval, new, wrap, export, search, add, allow, update, remove, log.\nTry: ikigai tool --help\n',
  ],
  [["tool", "list", "--jsn"], 'Unknown option "--jsn". Did you mean --json?\nTry: ikigai tool list --help\n'],
  [["-p", "x", "--modle", "offline"], "Did you mean --model?"],
  [["help", "permisions"], "Did you mean permissions?"],
  [["help", "tool", "chek"], 'Unknown command "ikigai tool chek".'],
  [["tool", "list", "x"], 'Unexpected "x". Usage: ikigai tool list [--json]'],
  [["tool", "show"], "Missing NAME. Usage: ikigai tool show NAME"],
  [["trust", "--show", "--revoke"], "Expected --show or --revoke, got both."],
  [["help", "nix"], 'No command or topic "nix". Topics: tools, '],
  [
    ["help", "tool", "nix"],
    'Unknown command "ikigai tool nix". Known: list, show, call, path, types, check, eval, new, wrap, export, search, add, allow, update, remove, log.',
  ],
  [["completion", "tcsh"], 'Expected bash, zsh or fish, got "tcsh".'],
  [["completion"], "Name a shell: bash, zsh or fish."],
  [["tool", "new"], "Missing NAME. Usage: ikigai tool new NAME [--lang sh|bash|"],
  [["tool", "new", "x", "--json"], "--json needs --lang bash|python|node|go|typescript."],
  [
    ["tool", "new", "x", "--json", "--lang", "awk"],
    "Expected --json with one of bash, python, node, go, typescript, got awk.",
  ],
  [["doctor", "now"], 'Unexpected "now". Usage: ikigai doctor [--sandbox] [--sandbox-network]'],
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
  ["18.20.0", "linux", "ikigai needs Node 20.19 or newer; this is 18.20.0."],
  ["20.18.3", "darwin", "ikigai needs Node 20.19 or newer; this is 20.18.3."],
  ["22.1.0", "win32", "ikigai needs Linux or macOS. On Windows, use WSL: "],
])("Node %s on %s can parse the program, and prints what is missing", (node, platform, message) => {
  const source = readFileSync(bin, "utf8").replace(/^#!.*/, "");
  // Syntax of Node 12 and later is an error in older ones.
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

test.each(["config", "tool", "mcp", "hook"])("ikigai %s alone lists its commands", async (word) => {
  const { exitCode, stdout, stderr } = await ikigai([word], { env: { HOME: await tempDir() } });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toContain(`Usage: ikigai ${word} COMMAND\n\n  ${word} `);
  expect((await ikigai(["help", word])).stdout).toContain(stdout);
});
