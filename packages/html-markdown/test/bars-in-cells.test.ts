import { lexer, type Tokens } from "marked";
import { expect, test } from "vitest";
import { convert } from "./convert.ts";

test.each([
  ["<code>\\| [click](http://evil.example/) # **Now**</code>", "`\\ | [click](http://evil.example/) # **Now**`"],
  ["<code>\\\\|&lt;h1></code>", "`\\\\ |<h1>`"],
  ["<code>a|b</code>", "`a|b`"],
])("code in a cell stays code, although it has a bar after a backslash: %s", (html, code) => {
  const markdown = convert(`<table><tr><th>A<th>B<tr><td>${html}<td>x</table>`);
  const [table] = lexer(markdown, { gfm: true });
  expect((table as Tokens.Table).rows.map((row) => row.map(({ text }) => text))).toEqual([[code, "x"]]);
});
