// @module-tag tables
import { readFileSync } from "node:fs";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { edit, failure } from "./run.ts";

/** As a model calls it. */
const env = { IKIGAI_ANSWER_BYTES: "15000" };

const code = `import { a } from "./a.ts";

function first(x) {
  return x;
}

function second(x, y) {
\tif (x > y) {
    return x * y;
  }
}
`;

test.each([
  ["a typo", code, "fucntion second(x, y) {", 'The closest line is 7: "function second(x, y) {"'],
  ["a changed name", code, "  return z;", 'The closest line is 4: "  return x;"'],
  ["part of a line", code, 'from "./b.ts"', 'The closest line is 1: "import { a } from \\"./a.ts\\";"'],
  [
    "other white space",
    code,
    "  if (x > y) {\n    return x*y;",
    'Line 8 has it, but with other white space: "\\tif (x > y) {"',
  ],
  [
    "a later line of several",
    code,
    "function second(x, y) {\n\tif (x > y) {\n    return x + y;",
    'The closest text starts at line 7, but line 9 is "    return x * y;", not "    return x + y;"',
  ],
  [
    "an earlier line of several",
    code,
    "// second\n\tif (x > y) {\n    return x * y;\n",
    'The closest text starts at line 7, but line 7 is "function second(x, y) {", not "// second"',
  ],
  ["more lines than there are", "one\ntwo\n", "two\nthree\nfour", 'The closest line is 2: "two"'],
  ["an end that is missing", "one\ntwenty\n", "twenty\nx", "The closest text starts at line 2, but ends with line 2."],
  [
    "line feeds instead of carriage returns, in a file with both",
    "a\nb\r\nc\r\n",
    "b\nc\n",
    "Line 2 has it, but with \\r\\n at the line ends, not \\n.",
  ],
  [
    "carriage returns instead of line feeds",
    "a\nb\nc\n",
    "b\r\nc",
    "Line 2 has it, but with \\n at the line ends, not \\r\\n.",
  ],
  ["other quotes", "a\nsay ‘hi’\n", "say 'hi'", "Line 2 has it, but with ‘ U+2018, not '."],
  ["another space", "a\u00a0b\n", "a b", "Line 1 has it, but with U+00A0, not a space."],
  [
    "another Unicode form",
    "caf\u0065\u0301\n",
    "caf\u00e9",
    "Line 1 has it, but in another Unicode normalization form.",
  ],
  ["something completely different", "one\n", "zzz", "No line is similar."],
  ["white space only", "one\n", "\t\t", "No line is similar."],
  ["an empty file", "", "a", "The file is empty."],
])("says what comes closest to %s", async (_, content, wanted, hint) => {
  const cwd = await tempDir({ a: content });
  const end = await edit(cwd, { old_string: wanted, new_string: "new" });
  expect(end).toEqual(failure("String not found in file", "NOT_FOUND", { hint }));
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe(content);
});

test.each([
  [
    "other white space, with the indentation",
    "  if (x > y) {\n    return x*y;\n",
    "\tif (x > y) {\n    return x * y;\n",
    8,
  ],
  ["other white space in a line", "if(x > y)", "if (x > y)", 8],
  ["a typo", "fucntion second(x, y) {", "function second(x, y) {", 7],
  ["one line of several", "function first(x) {\n  return y;\n}\n", "function first(x) {\n  return x;\n}", 3],
  ["line breaks as text", "function first(x) {\\n  return x;", "function first(x) {\n  return x;", 3],
  ["quotes as text", 'from \\"./a.ts\\"', 'from "./a.ts"', 1],
])("sends back the block that comes closest to %s", async (_, old_string, found, line) => {
  const cwd = await tempDir({ a: code });
  const { result } = await edit(cwd, { old_string, new_string: "new" }, { env });
  expect(result).toMatchObject({ error_code: "NOT_FOUND", found, lines: [line] });
  // Ready to be sent back.
  expect((await edit(cwd, { old_string: found, new_string: "new" })).result).toMatchObject({ replacements: 1 });
});

test.each([
  ["quotes", "a\nsay ‘hi’\n", "say 'hi'", "say ‘hi’", "‘ U+2018, not '"],
  [
    "a Unicode form",
    "x\nun cafe\u0301 noir\n",
    "caf\u00e9 noir",
    "cafe\u0301 noir",
    "in another Unicode normalization form",
  ],
  [
    "text for a line break",
    'print("a\\nb")\n',
    'print("a\nb")',
    'print("a\\nb")',
    "the text \\n or \\t where old_string has a line break",
  ],
])("sends back a text with other %s", async (_, content, old_string, found, hint) => {
  const cwd = await tempDir({ a: content });
  const { result } = await edit(cwd, { old_string, new_string: "new" }, { env });
  expect(result).toMatchObject({ found, hint: expect.stringContaining(hint) });
});

test.each([
  ["is longer than 4 KiB", `${"x ".repeat(3_000)}y\n`, `${"x".repeat(3_000)}y`],
  ["is far in a line, in another Unicode form", `${"y".repeat(5_000)} cafe\u0301\n`, "caf\u00e9"],
  ["is not UTF-8", Buffer.from("caf\xe9 noir\n", "latin1"), "caf noir"],
  ["hardly resembles it", "one\n", "once upon a time"],
])("sends back no block that %s", async (_, content, old_string) => {
  const cwd = await tempDir({ a: content });
  const { result } = await edit(cwd, { old_string, new_string: "new" }, { env });
  expect(result).toMatchObject({ error_code: "NOT_FOUND", hint: expect.any(String) });
  expect(result).not.toHaveProperty("found");
});

test("quotes only part of a long line, and does not split a character", async () => {
  const cwd = await tempDir({ a: `x${"🎉".repeat(1_000)}\n` });
  const { result } = await edit(cwd, { old_string: "x🎉y", new_string: "new" });
  expect(result?.hint).toBe(`The closest line is 1: "x${"🎉".repeat(79)}"…`);
});

test("finds the closest line of a large file quickly", async () => {
  const lines = Array.from({ length: 300_000 }, (_, index) => `line ${index} ${index * 7919}\n`);
  lines[200_000] = "the line that is wanted\n";
  const cwd = await tempDir({ a: lines.join("") });
  const { result } = await edit(cwd, { old_string: "the lime that is wanted\n", new_string: "new" });
  expect(result?.hint).toBe('The closest line is 200001: "the line that is wanted"');
});

test("reports that it has searched only part of a file", async () => {
  const cwd = await tempDir({ a: `first\n${"x\n".repeat(9_000_000)}` });
  const { result } = await edit(cwd, { old_string: "fist", new_string: "new" });
  expect(result?.hint).toBe('In the first 16777216 bytes: The closest line is 1: "first"');
});
