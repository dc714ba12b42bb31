// Promise 3 of SECURITY.md.
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import { htmlToMarkdown } from "../src/index.ts";
import { rendered, withoutMarks } from "./rendered.ts";

/** How many random cases are tried: in a quick run a fifth. */
const some = (all: number) => (inject("isThorough") ? all : Math.ceil(all / 5));

/** One block: how it is written in HTML, and how a renderer of Markdown must show it. */
interface Block {
  readonly html: string;
  readonly shown: readonly string[];
}

const special =
  "# ## > - + * ** *** _ __ ___ ` `` ``` ~ ~~ [ ] ( ) [x] ]( ![ | |- --- === 1. 2) \\ \\\\ & &amp &lt; &#35; < <b> </b> <!-- : :- . , a b é 漢 😀 -".split(
    " ",
  );
/** Text made of what means something in Markdown, with and without spaces. */
const text = fc
  .array(fc.tuple(fc.constantFrom(...special), fc.constantFrom("", "", " ")), { minLength: 1, maxLength: 8 })
  .map((pieces) =>
    pieces
      .map((piece) => piece.join(""))
      .join("")
      .trim(),
  );
const word = fc.constantFrom("one", "two", "drei", "vier", "fünf");

const escapeHtml = (plain: string) => plain.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("{", "");
const styled = fc.tuple(fc.constantFrom("b", "i", "s", "code", "span", "a href=/u"), text, fc.constantFrom("", " "));
/** Text and elements inside one line, with and without spaces in between. */
const line = fc.array(styled, { minLength: 1, maxLength: 4 }).map((pieces) => {
  const shownAs = (isCell: boolean) =>
    pieces
      .map(([tag, text, gap], index) => {
        // Codes that touch become one.
        const [nextTag, nextText = ""] = pieces[index + 1] ?? [];
        const next = gap === "" && nextTag === "code" ? nextText[0] : undefined;
        const plain =
          isCell && tag === "code"
            ? text.replace(/\\(?=\|)/g, "\\ ") + (text.endsWith("\\") && next === "|" ? " " : "")
            : text;
        return tag.startsWith("a ") ? `{a https://h.example/u}${plain}{/a}${gap}` : plain + gap;
      })
      .join("")
      .trim();
  return {
    html: pieces.map(([tag, plain, gap]) => `<${tag}>${escapeHtml(plain)}</${tag.split(" ")[0]}>${gap}`).join(""),
    shown: shownAs(false),
    // What code in a cell has before a bar is set apart from it.
    cell: shownAs(true),
  };
});
const block = (tag: string, path: string, close = "") =>
  line.map(({ html, shown }): Block => ({ html: `<${tag}>${html}</${tag}>${close}`, shown: [`${path}:${shown}`] }));
const paragraph = block("p", "p");
const leaf: fc.Arbitrary<Block> = fc.oneof(
  paragraph,
  block("h2", "h2"),
  fc.constant<Block>({ html: "<hr>", shown: ["hr"] }),
  fc.array(text, { minLength: 1, maxLength: 3 }).map(
    (lines): Block => ({
      html: `<pre>\n${escapeHtml(lines.join("\n"))}</pre>`,
      shown: [`pre:${lines.join("\n")}\n`],
    }),
  ),
);
const around = (tag: string, inner: readonly Block[]): Block => ({
  html: `<${tag}>${inner.map(({ html }) => html).join("")}</${tag}>`,
  shown: inner.flatMap(({ shown }) => shown.map((one) => `${tag}>${one}`)),
});
const { blocks } = fc.letrec<{ block: Block; blocks: Block[] }>((tie) => ({
  block: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    tie("blocks").map((inner) => around("blockquote", inner)),
    fc.tuple(fc.constantFrom("ul", "ol"), fc.array(tie("blocks"), { minLength: 1, maxLength: 3 })).map(([tag, items]) =>
      around(
        tag,
        items.map((inner) => around("li", inner)),
      ),
    ),
  ),
  blocks: fc.array(tie("block"), { minLength: 1, maxLength: 3 }),
}));

const convert = (html: string) => htmlToMarkdown(html, "https://h.example/page").markdown;

test("shows the same text in the same blocks, whatever characters it has", () => {
  fc.assert(
    fc.property(blocks, (page) => {
      const markdown = convert(page.map(({ html }) => html).join(""));
      const wanted = page.flatMap(({ shown }) => shown.map((one) => one.replace(/^([^:]*:)?(.*)$/s, cleaned)));
      expect(
        rendered(markdown).map((one) => withoutMarks(one)),
        markdown,
      ).toEqual(wanted);
    }),
    { numRuns: some(1500) },
  );
});

/** A preformatted block keeps its line ends; everything else is one line. */
function cleaned(_: string, path = "", shown = ""): string {
  return path + (path.endsWith("pre:") ? `${shown.trimEnd()}\n` : shown.replace(/\s+/g, " ").trim());
}

test("keeps emphasis, code and links between words", () => {
  const names: Readonly<Record<string, string>> = { b: "strong", i: "em", s: "s", code: "code" };
  const piece = fc.tuple(fc.constantFrom("b", "i", "s", "code"), word);
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
      const html = pieces.map(([tag, plain], index) => `<${tag}>${plain}${index}</${tag}> and `).join("");
      const wanted = pieces
        .map(([tag, plain], index) => `{${names[tag]}}${plain}${index}{/${names[tag]}} and`)
        .join(" ");
      expect(rendered(convert(`<p>${html}</p>`))).toEqual([`p:${wanted}`]);
    }),
  );
});

test("keeps the text of table cells apart", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(line, line), { minLength: 1, maxLength: 4 }), (rows) => {
      const body = rows.map(([one, two]) => `<tr><td>${one.html}<td>${two.html}`).join("");
      const markdown = convert(`<table><tr><th>A<th>B${body}</table>`);
      const wanted = ["table>thead>tr>th:A", "table>thead>tr>th:B"].concat(
        rows.flatMap((row) => row.map(({ cell }) => `table>tbody>tr>td:${cell.replace(/\s+/g, " ")}`)),
      );
      expect(
        rendered(markdown).map((one) => withoutMarks(one)),
        markdown,
      ).toEqual(wanted);
    }),
  );
});

const soup = fc
  .array(
    fc.oneof(
      fc.constantFrom(...special),
      fc.string({ unit: "binary", maxLength: 4 }),
      fc
        .tuple(
          fc.constantFrom("", "/"),
          fc.constantFrom(
            ..."a b p li ul ol dl dt dd table tr td th thead caption pre code h1 div br hr img svg math title".split(
              " ",
            ),
            ..."form nav blockquote details summary button script style textarea select template noscript main".split(
              " ",
            ),
          ),
          fc.constantFrom(
            "",
            " href=x",
            " hidden",
            " class=language-js",
            " alt=y src=z",
            " rowspan=3 colspan=2",
            " start=7",
            "/",
          ),
        )
        .map(([slash, name, attribute]) => `<${slash}${name}${attribute}>`),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(""));

test("converts any soup of tags, without control characters", () => {
  fc.assert(
    fc.property(soup, (html) => {
      const { markdown, title = "" } = htmlToMarkdown(html, "https://h.example/page");
      expect(/(?![\n\t])\p{Cc}/u.exec(markdown + title)).toBeNull();
      // Other spaces are characters like others.
      expect(markdown).not.toMatch(/[\n\t ]$/);
    }),
    { numRuns: some(2000) },
  );
});
