import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { shellWord } from "../src/text/words.ts";

test("a shell reads back each word", () => {
  const words = [
    "",
    "plain",
    "a b",
    "it's",
    "'",
    "$HOME",
    "`id`",
    "*",
    "~",
    "a\nb",
    "\\",
    "#",
    "-n",
    "x;y",
    "é",
    "(1)",
  ];
  const { stdout } = spawnSync("sh", [
    "-c",
    `for word in ${words.map(shellWord).join(" ")}; do printf '%s\\0' "$word"; done`,
  ]);
  expect(stdout.toString().split("\0").slice(0, -1)).toEqual(words);
});

test("leaves a word unquoted if it needs no quotes", () => {
  expect(["/usr/bin/env", "A=1", "user@host:22", "--flag"].map(shellWord)).toEqual([
    "/usr/bin/env",
    "A=1",
    "user@host:22",
    "--flag",
  ]);
});
