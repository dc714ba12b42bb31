import { expect, test } from "vitest";
import { convert } from "./convert.ts";

const table = (rows: string) => `<table>${rows}</table>`;

test.each([
  // Text
  ["<p>a\n  b&nbsp; c</p>  <p>d", "a b c\n\nd"],
  ["<p>a<br>b<br><br>c<br></p>", "a  \nb\n\nc"],
  ["&lt;b&gt; &copy; &#x41; &amp;amp;", "\\<b> © A \\&amp;"],
  [
    "<p># a</p><p>- b</p><p>1. c</p><p>&gt; d</p><p>+ e</p><p>---</p>",
    "\\# a\n\n\\- b\n\n1\\. c\n\n\\> d\n\n\\+ e\n\n\\---",
  ],
  ["<p>a<br>---<br>===<br>- b</p>", "a  \n\\---  \n\\===  \n\\- b"],
  [
    "<p>#1 and -x and 1.5, a - b, 2 * 3, snake_case, a[0], x < y, R&D, ~5",
    "#1 and -x and 1.5, a - b, 2 * 3, snake_case, a[0], x < y, R&D, ~5",
  ],
  ["<p>*a* __b__ `c` [d](e) ~~f~~ C:\\dir \\*", "\\*a\\* \\_\\_b\\_\\_ \\`c\\` [d\\](e) \\~\\~f\\~\\~ C:\\dir \\\\\\*"],
  ["<p>[x]: https://evil.example</p>", "\\[x]: https://evil.example"],
  ["a\u0000\u0007b\u001b[31m\u009bc&#7;", "ab[31mc"],
  // Headings and blocks
  [
    "<h1>A</h1><h2><a href='#b'>B</a> <a class=anchor href='#b'>¶</a></h2><h6>C #</h6><h3></h3>",
    "# A\n\n## B\n\n###### C \\#",
  ],
  ["<h2>1. A<br>B</h2><h3><button>C</button></h3><button>D</button>", "## 1. A B\n\n### C"],
  ["<blockquote><p>a</p><blockquote>b</blockquote></blockquote><blockquote>c</blockquote>", "> a\n>\n> > b\n\n> c"],
  ["a<hr>b", "a\n\n---\n\nb"],
  ["<details><summary>More</summary><p>text</p></details>", "**More**\n\ntext"],
  // Marks
  ["<b>a</b> <em>b</em> <del>c</del> <s>d</s> <u>e</u>", "**a** *b* ~~c~~ ~~d~~ e"],
  ["x<b> a </b>y<b></b><i> </i>z", "x **a** y z"],
  ["<b>a</b><b>b</b><strong><b>c</b></strong>", "**abc**"],
  ["<b>a</b><i>b</i>", "**a**b"],
  ["<b><i>a</i></b> <i>b <b>c</b></i>", "***a*** *b **c***"],
  ["<b>Note:</b>text <b>Note:</b> text", "Note:text **Note:** text"],
  ["H<sub>2</sub>O x<sup>2</sup> <kbd>Ctrl</kbd>+<kbd>C</kbd> <q>a</q>", 'H<sub>2</sub>O x<sup>2</sup> `Ctrl`+`C` "a"'],
  // Code
  [
    "<code>a*b</code> <code>`</code> <code>a``b`c</code> <code>a</code><code>b</code>",
    "`a*b` `` ` `` ```a``b`c``` `ab`",
  ],
  ["<code>Vec&lt;<a href=/T>T</a>&gt;</code>", "`Vec<`[`T`](https://h.example/T)`>`"],
  ["<pre>\n  a\n\tb\n\n</pre>", "```\n  a\n\tb\n```"],
  ["<pre><code class='language-js'>a</code></pre>", "```js\na\n```"],
  ["<div class='highlight highlight-source-shell'><pre>a</pre></div>", "```shell\na\n```"],
  [
    "<div class='language-ruby highlighter-rouge'><div class=highlight><pre class=highlight><code>a</code></pre></div></div>",
    "```ruby\na\n```",
  ],
  [
    "<pre class='lang-py s-code-block'><code class=hljs>a</code></pre><pre class=language-text>b</pre>",
    "```py\na\n```\n\n```\nb\n```",
  ],
  ["<pre>```\na\n````</pre>", "`````\n```\na\n````\n`````"],
  ["<pre><span class=line>a</span><br><div>b</div><div>c</div></pre>", "```\na\nb\nc\n```"],
  // Links and images
  [
    "<a href='b?x=1&amp;y=2'>a</a> <a href='//o.example/'>o</a> <a href='mailto:a@b.example'>m</a>",
    "[a](https://h.example/docs/b?x=1&y=2) [o](https://o.example/) [m](mailto:a@b.example)",
  ],
  [
    "<a href='javascript:x()'>a</a> <a href='java\nscript:x'>b</a> <a href='data:,x'>c</a> <a href='ftp://x/'>d</a> <a>e</a> <a href='http://['>f</a>",
    "a b c d e f",
  ],
  [
    "<a href='#x'>a</a> <a href='/docs/page#y'>b</a> <a href='other#z'>c</a>",
    "a b [c](https://h.example/docs/other#z)",
  ],
  [
    "<a href='/a_(b)'>x</a> <a href='/a)b('>y</a> <a href='/a b'>z</a>",
    "[x](https://h.example/a_(b)) [y](https://h.example/a%29b%28) [z](https://h.example/a%20b)",
  ],
  ["<a href='https://o.example/'>https://o.example/</a>", "<https://o.example/>"],
  [
    "<a href=/x><h3>T</h3><p>p [1]</p></a><a href=/y> </a>",
    "### [T](https://h.example/x)\n\n[p \\[1\\]](https://h.example/x)",
  ],
  ["<b>a <a href=/x>b</a> c</b>", "**a [b](https://h.example/x) c**"],
  [
    "<img src=i.png alt='a [b]'> <img src=i.png> <img src=i.png alt=''> <img src='data:,x' alt=c> <img src='data:,x' data-src=j.png alt=d>",
    "![a \\[b\\]](https://h.example/docs/i.png) c ![d](https://h.example/docs/j.png)",
  ],
  ["<a href=/x><img src=/i alt=a></a>", "[![a](https://h.example/i)](https://h.example/x)"],
  ["<base href='https://o.example/d/'><a href=x>a</a>", "[a](https://o.example/d/x)"],
  ["<base href='ftp://o.example/d/'><a href=x>a</a>", "[a](https://h.example/docs/x)"],
  // Lists
  ["<ul><li>a<ul><li>b<li>c</ul><li>d</ul>", "- a\n  - b\n  - c\n- d"],
  ["<ol start=9><li>a<li><p>b<p>c<li value=20>d</ol>", "9. a\n10. b\n\n    c\n\n20. d"],
  ["<ul><li>a<ol><li>b</ol></ul>", "- a\n  1. b"],
  ["<ul><li>a<ol start=5><li>b</ol></ul>", "- a\n\n  5. b"],
  ["<ul><li>a</ul><ul><li>b</ul><ol><li>c</ol><ol><li>d</ol>", "- a\n\n* b\n\n1. c\n\n1) d"],
  ["<ul><li></li><li><pre>a</pre></li><li><hr></li></ul>", "- ```\n  a\n  ```\n- ___"],
  ["<ul><li><input type=checkbox checked> a<li><input type=checkbox>b <input type=checkbox></ul>", "- [x] a\n- [ ] b"],
  ["<dl><dt>a<dd>b<dt>c<dt>d<dd><p>e<p>f</dl>", "- **a**\n\n  b\n\n- **c**\n\n- **d**\n\n  e\n\n  f"],
  // Tables
  [
    table("<thead><tr><th>A<th>B</thead><tbody><tr><td>1|2<td><code>a|b</code>"),
    "| A | B |\n| --- | --- |\n| 1\\|2 | `a\\|b` |",
  ],
  [table("<tr><td>a<td>b<tr><td>c<br>d<td><p>e<p>f"), "|  |  |\n| --- | --- |\n| a | b |\n| c<br>d | e<br>f |"],
  [
    table("<tr><th>A<th>B<th>C<tr><td colspan=2>x<td>y<tr><td rowspan=2>z<td>u<td>v<tr><td>w<td>t"),
    "| A | B | C |\n| --- | --- | --- |\n| x |  | y |\n| z | u | v |\n|  | w | t |",
  ],
  [table("<caption>Cap</caption><tr><th>A<tr><td><ul><li>x<li>y</ul>"), "Cap\n\n| A |\n| --- |\n| - x<br>- y |"],
  [table(`<tr><td>a<td>${table("<tr><th>B<tr><td>c")}`), "a\n\n| B |\n| --- |\n| c |"],
  [table("<tr><td>menu<td><h2>T</h2>text"), "menu\n\n## T\n\ntext"],
  ["<table role=presentation><tr><td>a<td>b<tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd"],
  // Not text
  [
    "a<script>b</script><style>c</style><template>d</template><svg><text>e</text></svg><noscript>f</noscript><iframe>g</iframe>h",
    "ah",
  ],
  ["<p hidden>a<p aria-hidden=true>b<p style='color:red; display : none'>c<p style='visibility:hidden'>d<p>e", "e"],
  ["<select><option>a</select><textarea>b</textarea><dialog>c</dialog><dialog open>d</dialog>", "d"],
  ["<svg><p>a", "a"],
  ["<svg><title>a</title><path/></svg>b<math><mi>c</mi></math>", "bc"],
])("converts %s", (html, markdown) => {
  expect(convert(html)).toBe(markdown);
});
