import { describe, expect, test } from "vitest";
import { plainText } from "../src/results.ts";

const plain = (text: unknown, maxLength = 1_000) => plainText(text, maxLength, (line) => line);

test.each([
  ["A <strong>bold</strong> <em>word</em>", "A bold word"],
  ["<p class=x>one</p><BR/>two<br>", "onetwo"],
  ["<script src='x'>alert(1)</script >", "alert(1)"],
  ["<!-- hidden --><!doctype html>shown<!--\n-->", "shown"],
  ["<my-element>in</my-element><other a=b>", "in"],
  ["Vec<u8>, Map<String, Array<T>> and #include <stdio.h>", "Vec<u8>, Map<String, Array<T>> and #include <stdio.h>"],
  ["1 < 2 > 0 <3 a<b", "1 < 2 > 0 <3 a<b"],
])("removes tags of HTML from %j", (text, shown) => {
  expect(plain(text)).toBe(shown);
});

test.each([
  ["&lt;b&gt; &amp;amp; &quot;x&quot; &#39;y&#x27; &apos;z&apos;", "<b> &amp; \"x\" 'y' 'z'"],
  ["caf&eacute; &copy;&nbsp;2026 &yuml;&hellip;", "café © 2026 ÿ…"],
  ["&#128512;&#x1F600;", "😀😀"],
  ["&unknown; &amp &; &#; &#x; AT&T", "&unknown; &amp &; &#; &#x; AT&T"],
  ["a&#0;b&#27;c&#x200b;d&#x202E;e&#xD800;f&#1114112;g&#9999999;h", "abcdefgh"],
])("decodes entities in %j", (text, shown) => {
  expect(plain(text)).toBe(shown);
});

describe("removes characters that cannot be seen:", () => {
  test.each([
    ["control characters", "a\0b\u001b[31mc\u007fd\u0090e", "ab[31mcde"],
    ["zero-width characters", "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg", "abcde fg"],
    ["marks of direction", "a\u200eb\u200fc\u202ad\u202ee\u2066f\u2069g\u061ch", "abcdefgh"],
    ["tags", "a\u{e0041}\u{e0042}\u{e007f}b", "ab"],
    ["variation selectors", "a\ufe00b\ufe0fc\u{e0100}d\u{e01ef}e", "abcde"],
    ["fillers", "a\u115fb\u3164c\uffa0d\u034fe", "abcde"],
    ["private and broken characters", "a\ue000b\u{f0000}c\ud800d\udc00e\ufff9f", "abcdef"],
  ])("%s", (_, text, shown) => {
    expect(plain(text)).toBe(shown);
  });
});

test("is one line", () => {
  expect(plain("  a\r\n\tb\u2028c\u2029d\u00a0e\v ")).toBe("a b c d e");
});

test("cuts what is longer, and not inside a character", () => {
  expect(plain("x".repeat(10), 10)).toBe("x".repeat(10));
  expect(plain("x".repeat(11), 10)).toBe(`${"x".repeat(9)}…`);
  expect(plain("😀".repeat(6), 10)).toBe(`${"😀".repeat(4)}…`);
  expect(plain("12345678 0", 9)).toBe("12345678…");
});

test("cuts only after it has removed tags and entities", () => {
  expect(plain(`<b>${"&amp;".repeat(10)}</b>`, 10)).toBe("&".repeat(10));
  expect(plain(`<b>${"&amp;".repeat(11)}</b>`, 10)).toBe(`${"&".repeat(9)}…`);
});

test.each([undefined, null, 1, true, {}, ["text"]])("is empty for %j", (value) => {
  expect(plain(value)).toBe("");
});
