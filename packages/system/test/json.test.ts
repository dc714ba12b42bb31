import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { JsonScanner, readJsonObject, replaceMember } from "../src/json/json.ts";

/** How many random cases are tried: in a quick run a fifth. */
const some = (all: number) => (inject("isThorough") ? all : Math.ceil(all / 5));

/** What the scanner reports for a text in chunks of this size. */
function scan(text: string, partBytes = 7, minStringBytes = 0): JsonScanner {
  const scanner = new JsonScanner(minStringBytes);
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += partBytes) scanner.push(bytes.subarray(start, start + partBytes));
  scanner.finish();
  return scanner;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test("agrees with JSON.parse on every JSON text", () => {
  fc.assert(
    fc.property(fc.json(), fc.integer({ min: 1, max: 20 }), (text, partBytes) => {
      expect(scan(text, partBytes).problem).toBeUndefined();
    }),
    { numRuns: some(500) },
  );
});

test("agrees with JSON.parse on texts that are almost JSON", () => {
  const pieces = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "\\",
    "u00e9",
    "n",
    "0",
    "01",
    "-",
    "1",
    ".",
    "e",
    "E+",
    "true",
    "nul",
    "null",
    " ",
    "\n",
    "é",
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 9 }), (parts) => {
      const text = parts.join("");
      expect([text, scan(text).problem === undefined]).toEqual([text, parses(text)]);
    }),
    { numRuns: some(20_000) },
  );
});

test("agrees with JSON.parse after changing one character of a JSON text", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom("", "x", "\\", '"', "\u0001", "0", "}"), (json, place, put) => {
      const at = place % (json.length + 1);
      const text = json.slice(0, at) + put + json.slice(at + 1);
      if (!text.isWellFormed()) return;
      expect([text, scan(text, 3).problem === undefined]).toEqual([text, parses(text)]);
    }),
    { numRuns: some(2_000) },
  );
});

test("finds string values, but not keys", () => {
  const text = '{"key": "é\\"x", "list": ["", "abcdef", {"k2": "v"}], "n": 1}';
  const bytes = Buffer.from(text);
  const found = scan(text, 4, 1).strings.map(({ start, end }) => bytes.toString("utf8", start, end));
  expect(found).toEqual(['é\\"x', "abcdef", "v"]);
});

test.each([
  ['{"a" 1}', { offset: 5, found: "unexpected 1" }],
  ["{,}", { offset: 1, found: "unexpected ," }],
  ['["a\u0007"]', { offset: 3, found: "unexpected byte 0x7" }],
  ["[1,]", { offset: 3, found: "unexpected ]" }],
  ["[", { offset: 1, found: "the text ends early" }],
  ["{}x", { offset: 2, found: "more text after the value" }],
])("reports the problem of %j, and its offset", (text, problem) => {
  expect(scan(text).problem).toEqual(problem);
});

test("reads exactly one object", () => {
  expect(readJsonObject(Buffer.from(' {"a":1}\n'))).toEqual({ ok: true, text: '{"a":1}', value: { a: 1 } });
  expect(readJsonObject(Buffer.from("\u00a0{}"))).toMatchObject({
    ok: false,
    problem: "unexpected byte 0xc2 at byte 0",
  });
});

test("replaces the values of a member however it is written, and nothing else", () => {
  const json = '{ "a":1e400,"b" : [{"b":2}, "}"] , "\\u0062":{"b":3},"c":"b\\":1","d":{"b":4} }';
  const replaced: string[] = [];
  const result = replaceMember(json, "b", (value) => {
    replaced.push(value);
    return "[]";
  });
  expect(replaced).toEqual([' [{"b":2}, "}"] ', '{"b":3}']);
  expect(result).toBe('{ "a":1e400,"b" :[], "\\u0062":[],"c":"b\\":1","d":{"b":4} }');
  expect(replaceMember("{}", "b", () => "1")).toBe("{}");
});

test("replacing a member is the same as parsing, changing and printing", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.string(),
      fc.integer({ min: 0, max: 4 }),
      (value, name, space) => {
        const changed = replaceMember(JSON.stringify(value, null, space), name, () => "1");
        expect(JSON.parse(changed)).toEqual(
          Object.fromEntries(
            Object.entries(JSON.parse(JSON.stringify(value))).map(([key, old]) => [key, key === name ? 1 : old]),
          ),
        );
      },
    ),
  );
});
