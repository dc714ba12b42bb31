import { parseArgs } from "node:util";
import { expect, test } from "vitest";
import { optionProblem } from "../src/text/words.ts";

const options = { lang: { type: "string" }, git: { type: "boolean", short: "g" } } as const;

test.each([
  [["--langg", "go"], 'Unknown option "--langg". Known: --lang, --git.'],
  [["-x"], 'Unknown option "-x". Known: --lang, --git.'],
  [["--toString"], 'Unknown option "--toString". Known: --lang, --git.'],
  [["--lang"], "Missing the value of --lang."],
  [["--lang", "--git"], "Missing the value of --lang, got --git."],
  [["--git=yes"], '--git takes no value, got "yes".'],
])("says what is wrong with %j", (args, problem) => {
  expect(optionProblem(args, options)).toBe(problem);
});

test.each([[[]], [["a", "--lang", "go", "-g", "b"]], [["--lang=--git"]], [["--lang", "-"]], [["--", "--other"]]])(
  "has nothing to say about %j, which parseArgs accepts",
  (args) => {
    expect(optionProblem(args, options)).toBeUndefined();
    expect(() => parseArgs({ args, options, allowPositionals: true })).not.toThrow();
  },
);
