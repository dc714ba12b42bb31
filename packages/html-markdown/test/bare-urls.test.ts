// Promise 3 of SECURITY.md.
import fc from "fast-check";
import { lexer, type Token, type Tokens } from "marked";
import { expect, test } from "vitest";
import { htmlToMarkdown } from "../src/index.ts";

/** The raw HTML that GitHub's flavour of Markdown, which makes links of bare URLs, finds in a text. */
function htmlIn(markdown: string): string[] {
  return inTokens(lexer(markdown, { gfm: true }));
}

function inTokens(tokens: readonly Token[]): string[] {
  return tokens.flatMap((token) => {
    if (token.type === "html") return [token.raw];
    if (token.type === "list") return (token as Tokens.List).items.flatMap((item) => inTokens(item.tokens));
    return "tokens" in token ? inTokens(token.tokens ?? []) : [];
  });
}

const urls = [
  "http://e.x",
  "https://e.x/a?b=c",
  "www.e.x",
  "ftp://e.x",
  "a@b.example",
  "mailto:a@b.example",
  "HTTP://E.X/",
];
const marks = [
  "<h1>",
  "<img src=http://leak.example/>",
  "</b>",
  "<!-- x",
  "<?x",
  "\\",
  "*",
  "_",
  "`",
  "&lt;",
  "&",
  ";",
  "(",
  ")",
  "a",
  " ",
];
const text = fc
  .array(fc.constantFrom(...urls, ...marks), { minLength: 1, maxLength: 10 })
  .map((pieces) => pieces.join(""));
const escapeHtml = (plain: string) => plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

test.each(["http://e.x<h1>Fake</h1>", "www.e.x<img src=http://leak.example/?x>", "a@b.example<code>fake</code>"])(
  "the text %s becomes no HTML where bare URLs are links",
  (plain) => {
    const { markdown } = htmlToMarkdown(`<p>${escapeHtml(plain)}</p>`, "https://h.example/");
    expect(htmlIn(markdown)).toEqual([]);
    expect(markdown).toContain("&lt;");
  },
);

test("text becomes no HTML, whatever comes before it", () => {
  const element = fc.constantFrom("span", "b", "i", "a href=/x");
  // marked takes a backslash at the end of a code span for an escape.
  const code = text.map((plain) => ["code", plain.replace(/[\\`]/g, "")]);
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.tuple(element, text), code), { minLength: 1, maxLength: 4 }), (pieces) => {
      const html = pieces
        .map(([tag = "", plain = ""]) => `<${tag}>${escapeHtml(plain)}</${tag.split(" ")[0]}>`)
        .join("");
      expect(htmlIn(htmlToMarkdown(`<p>${html}</p>`, "https://h.example/").markdown)).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test("a less-than sign far from any URL is escaped as readers of plain text expect it", () => {
  expect(htmlToMarkdown("<p>A Vec&lt;T>.</p>", "https://h.example/").markdown).toContain("A Vec\\<T>.");
});
