// @module-tag tables
// Promise 1 of SECURITY.md.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, inject, test } from "vitest";
import { parseDocument } from "yaml";
import { maxFrontMatterLength, readFrontMatter, readSimpleYaml } from "../src/text/front-matter.ts";

/** What a whole parser reads, with every scalar as a string; `undefined` for an error. */
function parsed(block: string): unknown {
  const document = parseDocument(block, { schema: "failsafe", logLevel: "silent" });
  if (document.errors.length > 0) return undefined;
  try {
    return document.toJS() ?? {};
  } catch {
    // An alias without an anchor.
    return undefined;
  }
}

const readProblem = async (text: string) => {
  const reading = await readFrontMatter(text);
  return "problem" in reading ? reading.problem : JSON.stringify(reading);
};

const pieces = [
  ...[
    "a",
    "b: ",
    "key: ",
    "\n",
    "\n  ",
    "\n\n",
    "- ",
    "'",
    '"',
    "|",
    "|-",
    "|+",
    ">",
    ">-",
    "[",
    "]",
    ", ",
    "#",
    " # ",
    ":",
    ": ",
  ],
  ...[
    "''",
    '\\"',
    "\\n",
    "é",
    "-",
    "---",
    "\t",
    "  ",
    "x y",
    "{",
    "}",
    "&a ",
    "*a",
    "!",
    "%",
    "@",
    "`",
    "...",
    "?",
    "\nk: ",
  ],
];

const numRuns = inject("isThorough") ? 20_000 : 2_000;

test("agrees with a YAML parser wherever both read a text", () => {
  let compared = 0;
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 12 }), (parts) => {
      const block = `k: ${parts.join("")}`;
      const [simple, whole] = [readSimpleYaml(block), parsed(block)];
      if (simple === undefined || whole === undefined) return;
      compared++;
      expect(simple, JSON.stringify(block)).toEqual(whole);
    }),
    { numRuns },
  );
  expect(compared).toBeGreaterThan(numRuns / 10);
});

test("agrees with a YAML parser on block text and on text over several lines", () => {
  const line = fc.constantFrom("  a", "  b c: d", "", "", "   e", " f", "  # g", "  - h", "x: y");
  let compared = 0;
  fc.assert(
    fc.property(
      fc.constantFrom("|", "|-", ">", ">-", "w", "'q'"),
      fc.array(line, { maxLength: 7 }),
      (header, lines) => {
        const block = [`k: ${header}`, ...lines].join("\n");
        const [simple, whole] = [readSimpleYaml(block), parsed(block)];
        if (simple === undefined || whole === undefined) return;
        compared++;
        expect(simple, JSON.stringify(block)).toEqual(whole);
      },
    ),
    { numRuns },
  );
  expect(compared).toBeGreaterThan(numRuns / 10);
});

test.each([
  ["plain text", "a: b c", { a: "b c" }],
  ["text with a colon, which YAML refuses", "a: Use when: always", { a: "Use when: always" }],
  ["text that looks like another type", "a: true\nb: 1.10\nc: null", { a: "true", b: "1.10", c: "null" }],
  ["quoted text", `a: "x: \\"y\\""\nb: 'it''s'`, { a: 'x: "y"', b: "it's" }],
  ["block text", "a: |-\n  one\n\n  two\nb: >\n  one\n  two\n", { a: "one\n\ntwo", b: "one two\n" }],
  ["text on several lines", "a: one\n  two\n  three", { a: "one two three" }],
  ["lists", "a:\n- b\n- c\nd: [e, f g]\ng: []", { a: ["b", "c"], d: ["e", "f g"], g: [] }],
  ["keys below a key", "m:\n  ikigai-tools: a b\n  v: '1'", { m: { "ikigai-tools": "a b", v: "1" } }],
  ["comments and empty values", "# x\na:\nb: c\n", { a: "", b: "c" }],
  ["a key that every object has", "__proto__: x", JSON.parse('{"__proto__":"x"}')],
])("reads %s without the parser", (_, block, fields) => {
  expect(readSimpleYaml(block)).toEqual(fields);
});

test.each([
  ["flow mappings", "a: {b: c}", { a: { b: "c" } }],
  ["comments after a value", "a: b # c", { a: "b" }],
  ["deeper levels", "a:\n  b:\n    c: d", { a: { b: { c: "d" } } }],
  ["quoted text on several lines", 'a: "b\n  c"', { a: "b c" }],
])("reads %s with the parser", async (_, block, fields) => {
  expect(readSimpleYaml(block)).toBeUndefined();
  expect(await readFrontMatter(`---\n${block}\n---\nBody`)).toEqual({ fields, body: "Body" });
});

test.each([
  ["a byte order mark and CRLF", "\ufeff---\r\na: b\r\n---\r\nBody\r\n", "Body\r\n"],
  ["no body", "---\na: b\n---", ""],
  ["a second separator in the body", "---\na: b\n---\n\n---\nc", "\n---\nc"],
])("splits %s", async (_, text, body) => {
  expect(await readFrontMatter(text)).toEqual({ fields: { a: "b" }, body });
});

describe("refuses", () => {
  test.each([
    ["a text without front matter", "# Title", /^must begin with YAML front matter/],
    ["front matter without an end", "---\na: b\n", /^must begin with YAML front matter/],
    ["invalid YAML, with the line in the file", "---\na: b\nc: [d\n---\n", /not valid YAML, in line [34]:/],
    ["the same key twice", "---\na: b\na: c\n---\n", /not valid YAML, in line 3: Map keys must be unique/],
    ["a list", "---\n- a\n---\n", /without keys/],
    ["an alias", "---\na: &x b\nc: *x\n---\n", /alias/],
    ["deep nesting", `---\na: ${"[".repeat(16_000)}\n---\n`, /nested too deeply|not valid YAML/],
  ])("%s", async (_, text, problem) => {
    expect(await readProblem(text)).toMatch(problem);
  });

  test("a text whose aliases grow without bound, at once", async () => {
    const levels = Array.from({ length: 60 }, (_, level) => {
      return `l${level}: &l${level} [${Array(9)
        .fill(level === 0 ? "x" : `*l${level - 1}`)
        .join(", ")}]`;
    });
    const startMs = performance.now();
    expect(await readProblem(`---\n${levels.join("\n")}\n---\n`)).toMatch(/alias/);
    expect(performance.now() - startMs).toBeLessThan(2_000);
  });

  test("front matter over the limit, and reads it at the limit", async () => {
    const exact = `a: ${"x".repeat(maxFrontMatterLength - 3)}`;
    expect(await readFrontMatter(`---\n${exact}\n---\n`)).toHaveProperty("fields.a");
    expect(await readProblem(`---\n${exact}x\n---\n`)).toMatch(/more than 16384 characters/);
  });
});

const shapes = new URL("../../../../shared/skills/", import.meta.url);

test.skipIf(!existsSync(shapes))("reads the front matter of real skills without the parser", async () => {
  const names = readdirSync(shapes).filter((name) => existsSync(new URL(`${name}/SKILL.md`, shapes)));
  expect(names.length).toBe(18);
  for (const name of names) {
    const text = readFileSync(new URL(`${name}/SKILL.md`, shapes), "utf8");
    const reading = await readFrontMatter(text);
    const block = text.split(/^---$/m)[1]?.trim() ?? "";
    expect(reading, name).toMatchObject({ fields: parsed(block) });
    expect(readSimpleYaml(block), name).toBeDefined();
  }
});
