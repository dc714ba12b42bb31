// @module-tag sampled
import { readFileSync, writeFileSync } from "node:fs";
import { tempDir } from "@ikigai/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { findOccurrences, replaceBytes } from "../src/file-text.ts";
import { edit } from "./run.ts";

test.each([
  ["carriage returns", Buffer.from("a\r\nb\r\n")],
  ["a byte order mark", Buffer.from("\ufeffb")],
  ["Latin-1", Buffer.from("\xe9b\xff", "latin1")],
  ["NUL", Buffer.from("\0b\0")],
  ["a missing newline at the end", Buffer.from("a\nb")],
  ["half a character", Buffer.from([0xf0, 0x9f, 0x62, 0x8e])],
])("keeps %s", async (_, content) => {
  const cwd = await tempDir({ a: content });
  await edit(cwd, { old_string: "b", new_string: "xy" });
  const at = content.indexOf("b");
  const wanted = Buffer.concat([content.subarray(0, at), Buffer.from("xy"), content.subarray(at + 1)]);
  expect(readFileSync(`${cwd}/a`)).toEqual(wanted);
});

test.each<[string, Buffer, string]>([
  ["Latin-1", Buffer.from("caf\xe9\nx\n", "latin1"), "é"],
  ["GBK", Buffer.from("c4e3 0a 78 0a".replaceAll(" ", ""), "hex"), "好"],
  ["UTF-16LE that ends within a character", Buffer.from("fffe780078", "hex"), "y"],
  ["UTF-16BE with half of a pair", Buffer.from("feff0078d83d0078", "hex"), "y"],
  ["UTF-32", Buffer.from("fffe00007800000079000000", "hex"), "y"],
])("never leaves a file of %s in two encodings", async (_, content, text) => {
  const cwd = await tempDir({ a: content });
  const { result } = await edit(cwd, { old_string: "x", new_string: text });
  expect(result).toMatchObject({ error_code: "ENCODING", hint: expect.stringContaining("file FILE") });
  expect(readFileSync(`${cwd}/a`)).toEqual(content);
});

test.each(["UTF-16LE", "UTF-16BE"])("edits %s, which stays what it is", async (name) => {
  const encoded = (text: string) => {
    const little = Buffer.from(`\ufeff${text}`, "utf16le");
    return name === "UTF-16LE" ? little : little.swap16();
  };
  const cwd = await tempDir({ a: encoded("grün\r\n🎉 b\r\nc") });
  const edits = [
    { old_string: "grün\n🎉", new_string: "好\n" },
    { old_string: "c", new_string: "é" },
  ];
  expect((await edit(cwd, { edits })).result).toMatchObject({ replacements: 2 });
  expect(readFileSync(`${cwd}/a`)).toEqual(encoded("好\r\n b\r\né"));
  expect((await edit(cwd, { old_string: "nope", new_string: "x" })).result).toMatchObject({ error_code: "NOT_FOUND" });
});

test.each([
  ["a\r\nb\r\nc\r\n", "b", "b\nnew", "a\r\nb\r\nnew\r\nc\r\n"],
  ["a\r\nb\r\nc\r\n", "a\nb", "x\n\ny", "x\r\n\r\ny\r\nc\r\n"],
  ["a\r\nb\r\n", "a\r\nb", "a\r\nx\nb", "a\r\nx\r\nb\r\n"],
  ["a\nb\n", "b", "b\nnew", "a\nb\nnew\n"],
])("keeps the line ends of %j", async (before, old_string, new_string, after) => {
  const cwd = await tempDir({ a: before });
  expect((await edit(cwd, { old_string, new_string })).result).toEqual({
    output: "Replaced 1 occurrence in a",
    replacements: 1,
  });
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe(after);
});

test("writes exactly into a file with both line ends, and says so", async () => {
  const cwd = await tempDir({ a: "a\r\nb\nc\r\n" });
  const { result } = await edit(cwd, { old_string: "c", new_string: "c\nd" });
  expect(result?.warning).toBe(
    "The file has \\r\\n and \\n at its line ends; new_string was written exactly, with \\n.",
  );
  expect(readFileSync(`${cwd}/a`, "utf8")).toBe("a\r\nb\nc\nd\r\n");
});

const bytes = fc
  .array(fc.oneof(fc.constantFrom(...Buffer.from('aab\r\n\0"\\')), fc.integer({ min: 0, max: 255 })), { maxLength: 60 })
  .map((values) => Buffer.from(values));
const text = fc.string({ unit: fc.constantFrom("a", "b", "\r", "\n", "é", "🎉", "$&"), minLength: 1, maxLength: 3 });

const plainText = fc.string({ unit: fc.constantFrom("a", "b", "\r", "$&"), minLength: 1, maxLength: 3 });

/** A reference implementation: byte by byte, on a text with one character per byte. */
function splitAndJoin(content: Buffer, wanted: Buffer, replacement: Buffer): { after: Buffer; count: number } {
  const parts = content.toString("latin1").split(wanted.toString("latin1"));
  return { after: Buffer.from(parts.join(replacement.toString("latin1")), "latin1"), count: parts.length - 1 };
}

test("replaces like splitting and joining", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(bytes, text.map(Buffer.from))),
      text,
      fc.oneof(text, fc.constant("")),
      (parts, a, b) => {
        const [content, wanted, replacement] = [Buffer.concat(parts), Buffer.from(a), Buffer.from(b)];
        const { after, count } = splitAndJoin(content, wanted, replacement);
        expect(findOccurrences(content, wanted, 0).count).toBe(count);
        expect(replaceBytes(content, wanted, replacement, count)).toEqual(after);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("finds the lines on which occurrences start", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "\n")), text, (characters, wanted) => {
      const content = characters.join("");
      const { lines, count } = findOccurrences(Buffer.from(content), Buffer.from(wanted), 1_000);
      const before = content.split(wanted).map((part) => part.split("\n").length - 1);
      const inside = wanted.split("\n").length - 1;
      const expected = Array.from({ length: count }, (_, index) => {
        const passed = before.slice(0, index + 1).reduce((sum, newlines) => sum + newlines, 0);
        return 1 + passed + index * inside;
      });
      expect(lines).toEqual([...new Set(expected)]);
    }),
  );
});

test("changes nothing but the occurrences, through the executable", async () => {
  const cwd = await tempDir();
  await fc.assert(
    // Line ends and other encodings have tests of their own.
    fc.asyncProperty(bytes, bytes, plainText, plainText, async (head, tail, wanted, replacement) => {
      fc.pre(wanted !== replacement && !["fffe", "feff"].includes(head.toString("hex", 0, 2)));
      const content = Buffer.concat([head, Buffer.from(wanted), tail]);
      const { after, count } = splitAndJoin(content, Buffer.from(wanted), Buffer.from(replacement));
      writeFileSync(`${cwd}/a`, content);
      const { result } = await edit(cwd, { old_string: wanted, new_string: replacement, replace_all: true });
      expect(result?.replacements).toBe(count);
      expect(readFileSync(`${cwd}/a`)).toEqual(after);
    }),
    { numRuns: 40 },
  );
});
