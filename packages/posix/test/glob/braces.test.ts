import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { BraceLimitError, escapeGlob, expandBraces, glob, maxAlternatives } from "../../src/glob/index.ts";
import { find, makeTree } from "./tree.ts";

const names = ["a", "b", "x", "ab", "ac", "a,b", "a}", "{", "}", "x{a", "{a,b}", "a,"];

/** What glibc 2.36 finds among these names with GLOB_BRACE. */
test.each([
  ["{a,b}", ["a", "b"]],
  ["\\{a,b}", ["{a,b}"]],
  ["{a,b\\}", ["{a,b}"]],
  ["{a\\,b,c}", ["a,b"]],
  ["a{b,c}", ["ab", "ac"]],
  ["a{b,{c,d}}", ["ab", "ac"]],
  ["{,a}", ["a"]],
  ["x{,y}", ["x"]],
  ["{a,b}}", ["a}"]],
  ["[{a,b}]", ["a", "b"]],
  ["[{]", ["{"]],
  ["x{a", ["x{a"]],
  ["{a,b", []],
  ["{a,b}{", []],
  ["{{a,b}", []],
  ["{a}", ["a"]],
  ["{{a}}", ["a"]],
  ["x{}", ["x"]],
])("finds with %s what GLOB_BRACE does", (pattern, found) => {
  expect(find(makeTree(...names), pattern).toSorted()).toEqual(found);
});

test("also treats a group without a comma as a name with braces", () => {
  const cwd = makeTree("x", "x{}", "{id}/page.ts", "{{cookiecutter.name}}/setup.py", "id/page.ts");
  expect(find(cwd, "x{}")).toEqual(["x", "x{}"]);
  expect(find(cwd, "{id}/*")).toEqual(["id/page.ts", "{id}/page.ts"]);
  expect(find(cwd, "{{cookiecutter.name}}/**/*.py")).toEqual(["{{cookiecutter.name}}/setup.py"]);
  expect(find(cwd, "*", { base: "{id}" })).toEqual(["{id}/page.ts"]);
});

test("yields each path once, sorted by bytes, however the alternatives overlap and are spelled", () => {
  const cwd = makeTree("src/a.ts", "src/a-b.ts", "src/x/c.tsx", "lib/d.js", "lib/é.ts", "z.ts");
  expect(find(cwd, "{src,lib}/**/*.{ts,tsx,js,[tj]s}")).toEqual([
    "lib/d.js",
    "lib/é.ts",
    "src/a-b.ts",
    "src/a.ts",
    "src/x/c.tsx",
  ]);
  expect(find(cwd, "{src//x,src/x,src/x/,src/**,z.ts}")).toEqual([
    "src/",
    "src//x",
    "src/a-b.ts",
    "src/a.ts",
    "src/x",
    "src/x/",
    "src/x/c.tsx",
    "z.ts",
  ]);
  expect(find(cwd, `{${cwd}/z.ts,z.*}`)).toEqual([`${cwd}/z.ts`, "z.ts"]);
});

test("reads each directory once for all alternatives", () => {
  const cwd = makeTree("src/a.ts", "src/x/c.tsx", "lib/d.js");
  const visited: string[] = [];
  const onDirectory = ({ path }: { path: string | Buffer }) => visited.push(String(path)) > 0;
  for (const _ of glob("**/*.{ts,tsx,js}", { cwd, onDirectory }));
  expect(visited).toEqual(["", "lib/", "src/", "src/x/"]);
});

test("finds the union of the alternatives' matches", () => {
  const paths = ["a/b", "a/b.c", "a/d/e.c", "b/a", "b/d/.e", "c", "{a}/b", "a,b"];
  // `.*` also matches `..`. Nine characters reach three levels up; what is above those, other tests change.
  const cwd = join(makeTree(...paths.map((path) => `1/2/3/${path}`)), "1/2/3");
  const text = fc.array(fc.constantFrom("a", "b", "c", "*", "**", "/", ".", ",", "{", "}", "{", "}", "\\", "?"), {
    maxLength: 9,
  });
  const property = fc.property(
    text.map((all) => all.join("")),
    (pattern) => {
      // An absolute one would search the whole machine.
      fc.pre(!expandBraces(pattern).some((each) => each.startsWith("/")));
      const literal = (each: string) => each.replaceAll(/(?<!\\)[{}]/g, "\\$&");
      const oneByOne = new Set(expandBraces(pattern).flatMap((each) => find(cwd, literal(each))));
      expect(find(cwd, pattern)).toEqual([...oneByOne].toSorted());
    },
  );
  fc.assert(property, { numRuns: Number(process.env.GLOB_RUNS ?? 150) });
});

test("matches an escaped text literally inside braces, too", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("{", "}", ",", "\\", "*", "a") }), (text) => {
      const unescaped = (each: string) => each.replaceAll(/\\(.)/g, "$1");
      expect(expandBraces(escapeGlob(text)).map(unescaped)).toEqual([text]);
      expect(expandBraces(`{${escapeGlob(text)},b}`).map(unescaped)).toEqual([...new Set([text, "b"])]);
    }),
  );
});

describe("a limit", () => {
  const many = (count: number) => `{${Array.from({ length: count }, (_, index) => `f${index}`).join(",")}}`;

  test("applies to the number of patterns", () => {
    expect(expandBraces(many(maxAlternatives))).toHaveLength(maxAlternatives);
    expect(() => expandBraces(many(maxAlternatives + 1))).toThrow(BraceLimitError);
    expect(expandBraces("{a,b}".repeat(9))).toHaveLength(512);
    expect(() => expandBraces("{a,b}".repeat(10))).toThrow(BraceLimitError);
    expect(() => find(makeTree(), "{a,b}".repeat(10))).toThrow(BraceLimitError);
  });

  test("applies to their length, so that none takes long", () => {
    expect(expandBraces(`{a,b}${"x".repeat(1_000_000)}`)).toHaveLength(2);
    const started = process.cpuUsage().user;
    for (const pattern of [`{a,b,c,d,e}${"x".repeat(1_000_000)}`, "{".repeat(100_000) + "}".repeat(100_000)])
      expect(() => expandBraces(pattern)).toThrow(BraceLimitError);
    for (const pattern of ["{".repeat(500_000), `{${"a,".repeat(500_000)}`])
      expect(expandBraces(pattern)).toEqual([pattern]);
    expect(process.cpuUsage().user - started).toBeLessThan(5_000_000);
  });
});
