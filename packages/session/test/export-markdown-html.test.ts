import { expect, test } from "vitest";
import { markdownRenderer } from "../src/export/markdown-html.ts";

const render = await markdownRenderer({ readFormula: (latex) => (latex.includes("\\x") ? undefined : `<${latex}>`) });

test.each([
  ["See[^1] and `a[^2]`.", "<p>See<sup>[1]</sup> and <code>a[^2]</code>.</p>"],
  ["[^1]: word", "<p><sup>[1]</sup> word</p>"],
  [
    "Text\n[^a]: The **note**\nin two lines.\n[^b]: b",
    "<p>Text</p>\n<p><sup>[a]</sup> The <strong>note</strong>\nin two lines.</p>\n<p><sup>[b]</sup> b</p>",
  ],
  ["[^<b>]", "<p><sup>[&lt;b&gt;]</sup></p>"],
  ["[a]: /b\n[a]", '<p><a href="/b">a</a></p>'],
  [
    "- [x] done\n- [ ] **open**\n- [y] no\n- `[x]`",
    '<ul>\n<li class="task">☑ done</li>\n<li class="task">☐ <strong>open</strong></li>\n<li>[y] no</li>\n<li><code>[x]</code></li>\n</ul>',
  ],
  ["at https://example.com/a_b_c.", '<p>at <a href="https://example.com/a_b_c">https://example.com/a_b_c</a>.</p>'],
  ["readme.md and a@b.com", "<p>readme.md and a@b.com</p>"],
  ["javascript:alert(1) data:text/html,x", "<p>javascript:alert(1) data:text/html,x</p>"],
  [
    "so $E = mc^2$, $$a$$",
    '<p>so <span class="formula">&lt;E = mc^2&gt;</span>, <span class="formula">&lt;a&gt;</span></p>',
  ],
  [
    "$5 and $10, $HOME:$PATH, $HOME or `$x$`, $\\x$",
    "<p>$5 and $10, $HOME:$PATH, $HOME or <code>$x$</code>, $\\x$</p>",
  ],
])("renders %j", (markdown, html) => {
  expect(render(markdown).trim()).toBe(html);
});
