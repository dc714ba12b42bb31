// Promise 3 of SECURITY.md.
import fc from "fast-check";
import { expect, test } from "vitest";
import { htmlToMarkdown } from "../src/index.ts";
import { rendered, withoutMarks } from "./rendered.ts";

const page = (html: string) => htmlToMarkdown(html, "https://h.example/");

/** From each range of them, and those at the edges. */
const invisible = [
  ..."\u00ad\u034f\u061c\u115f\u1160\u17b4\u180b\u180e\u200b\u200d\u200f\u202a\u202e\u2060\u2064\u206f\u3164\ufe00\ufe0f\ufeff\uffa0\ufff9\ufffb",
  ..."\u0001\u0008\u000b\u001b\u001f\u007f\ue000\uf8ff",
  "\u{f0000}",
  "\u{10fffd}",
  "\u{1d173}",
  "\u{e0001}",
  "\u{e0041}",
  "\u{e01ef}",
];

/** Pieces of text that mean something in Markdown, once nothing is between them. */
const meaning = [
  ..."#>-+*_`~[]()!|\\&<1.=a ",
  "\n",
  "```",
  "](",
  "](http://evil.example)",
  "![",
  "amp;",
  "lt;",
  "b>",
  "&lt;",
];
const element = fc.constantFrom("p", "b", "pre", "code", "h2", "li", "td", "a href=/x", "blockquote");

/** A text, and the same with invisible characters, as they are or as entities. */
const texts = fc
  .array(
    fc.tuple(
      fc.constantFrom(...meaning),
      fc.option(fc.tuple(fc.constantFrom(...invisible), fc.boolean()), { nil: undefined }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((pieces) => ({
    plain: pieces.map(([piece]) => piece).join(""),
    hiding: pieces.map(([piece, hidden]) => piece + (hidden ? written(...hidden) : "")).join(""),
  }));

function written(character: string, isEntity: boolean): string {
  return isEntity ? `&#x${character.codePointAt(0)?.toString(16)};` : character;
}

/** As text of a page: no tags and no entities but our own. */
const escaped = (text: string) => text.replaceAll(/&(?!#x[\da-f]+;)/g, "&amp;").replaceAll("<", "&lt;");

test("invisible characters in a text change nothing, so they cannot add headings, links or code", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(element, texts), { minLength: 1, maxLength: 3 }), (blocks) => {
      const html = (kind: "plain" | "hiding") =>
        blocks.map(([tag, text]) => `<${tag}>${escaped(text[kind])}</${tag.split(" ")[0]}>`).join("");
      const shown = (kind: "plain" | "hiding") => rendered(page(html(kind)).markdown).map(withoutMarks);
      expect(shown("hiding")).toEqual(shown("plain"));
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ["a link", "<p>a]\u200b(http://evil.example)", "a\\](http://evil.example)"],
  ["a heading", "<p>&#8203;# b", "\\# b"],
  ["the end of a code block", "<pre>``\u200b`\n# b</pre>", "````\n```\n# b\n````"],
  ["an element", "<p>&lt;\u2060img src=x>", "\\<img src=x>"],
])("text with an invisible character does not become %s", (_, html, markdown) => {
  expect(page(html).markdown).toBe(markdown);
});

test.each(invisible)("removes %j everywhere, and counts it in visible text", (character) => {
  const html = `<title>t${character}</title><p hidden>${character}</p><p>a${character}b<img alt="c${character}" src="/i">`;
  const { markdown, title, removed } = page(html + written(character, true));
  expect({ markdown, title, removed }).toEqual({ markdown: "ab![c](https://h.example/i)", title: "t", removed: 2 });
});

test("removes characters of the second range of control characters, which an entity cannot name", () => {
  expect(page("<p>a\u0080b\u009bc<pre>\u0085d</pre>")).toMatchObject({ markdown: "abc\n\n```\nd\n```", removed: 3 });
  expect(page("<p>&#x80;&#x9b;")).toMatchObject({ markdown: "€›", removed: 0 });
});
