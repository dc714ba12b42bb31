import { expect, test } from "vitest";
import { htmlToMarkdown } from "../src/index.ts";
import { convert } from "./convert.ts";

const text = (length: number) => "x".repeat(length);

test("takes main from 40 % of the text on, otherwise the whole body", () => {
  expect(convert(`<p>${text(60)}</p><main>${text(40)}</main>`)).toBe(text(40));
  expect(convert(`<p>${text(61)}</p><main>${text(39)}</main>`)).toBe(`${text(61)}\n\n${text(39)}`);
});

test.each(["main", "article", "div role=main"])("takes <%s>", (tag) => {
  expect(convert(`<p>before</p><${tag}>the text of the page</${tag.split(" ")[0]}><p>after</p>`)).toBe(
    "the text of the page",
  );
});

test("prefers main to the articles in it", () => {
  expect(convert("<main><article>one one one</article><article>two</article></main>")).toBe("one one one\n\ntwo");
});

test("leaves out what surrounds the text, and does not count it", () => {
  const around =
    "<nav>n</nav><aside>a</aside><footer>f</footer><form>o</form><header>h</header><div role=navigation>r</div>";
  expect(convert(`${around}<p>text</p>${around}`)).toBe("text");
  expect(convert(`<nav>${text(500)}</nav><p>${text(6)}</p><main>${text(4)}</main>`)).toBe(text(4));
});

test("keeps the header of an article and the source of a quotation", () => {
  const html = "<header>page</header><article><header><h1>T</h1></header>text<footer>f</footer></article>";
  expect(convert(html)).toBe("# T\n\ntext");
  expect(convert("<blockquote>q<footer>who</footer></blockquote>")).toBe("> q\n>\n> who");
});

test("keeps a form that holds half of the text", () => {
  expect(convert("<form><h1>12345</h1></form><p>67890</p>")).toBe("# 12345\n\n67890");
  expect(convert("<form><h1>1234</h1></form><p>67890</p>")).toBe("67890");
});

test("writes everything if nothing would be left", () => {
  expect(convert("<nav><a href=/x>only</a></nav>")).toBe("[only](https://h.example/x)");
});

test("reports title, length of the text and scripts", () => {
  const page = (html: string) => htmlToMarkdown(html, "https://h.example/");
  expect(page("<title> A &amp;\n B </title><nav>ab</nav><p>c d<p hidden>e<script>f()</script>")).toEqual({
    markdown: "c d",
    title: "A & B",
    textLength: 4,
    hasScript: true,
    removed: 0,
  });
  expect(page("")).toEqual({ markdown: "", textLength: 0, hasScript: false, removed: 0 });
  expect(page("<script type='application/ld+json'>{}</script>").hasScript).toBe(false);
  expect(page("<script type=module src=x></script>").hasScript).toBe(true);
  expect(page(`<title>${text(300)}</title>`).title).toBe(text(300));
  expect(page(`<title>${text(301)}</title>`).title).toBe(text(300));
});

test.each([
  ["<p>a<div>b</div>c", "a\n\nb\n\nc"],
  ["<ul><li>a<li>b<div><li>c</div></ul>d", "- a\n- b\n- c\n\nd"],
  ["<p><b>a<p>b", "**a**\n\nb"],
  ["<b>a<p>b</b>c</p>d", "**a**\n\n**b**c\n\nd"],
  ["<a href=/x>a<a href=/y>b</a>", "[a](https://h.example/x)[b](https://h.example/y)"],
  ["</p></div></li></table>a</b></br>b<br/>c", "a  \nb  \nc"],
  ["<table><tr><td>a</div></p></b><td>b<tr><td>c<td>d", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"],
  ["<tr><td>a</td></tr>", "a"],
  ["a<!-- b --><![CDATA[c]]><?php d ?>e<!doctype x>", "ae"],
  ['a<p b="c', "a"],
])("reads broken markup as browsers do: %s", (html, markdown) => {
  expect(convert(html)).toBe(markdown);
});
