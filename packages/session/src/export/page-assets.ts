// The style and the only script of an exported page.

/** The colours; those of code are readable on plain code, and on the lines and words of a change. */
const light = `
  --ground: #ffffff; --text: #1f2328; --dim: #57606a; --line: #d0d7de; --said: #efecfa; --mark: #5a48c0; --link: #0550ae;
  --code: #f4f6f8; --added: #dcf6e2; --removed: #fde8e8; --added-word: #b5eac2; --removed-word: #fbcaca;
  --plus: #0b5a24; --minus: #96161f; --failed: #a40e26; --hit: #ffe58a; --hit-now: #ffb057;
  --comment: #4a525b; --keyword: #7a1fa2; --string: #0a5227; --number: #6b4300; --title: #0a4790; --type: #0b5560;`;
const dark = `
  --ground: #0f1318; --text: #e6eaef; --dim: #9aa4af; --line: #313942; --said: #221f3a; --mark: #a99cf5; --link: #7cb7ff;
  --code: #181e25; --added: #10301b; --removed: #3d1719; --added-word: #1a5029; --removed-word: #662023;
  --plus: #7ee2a0; --minus: #ffaaa6; --failed: #ff9a95; --hit: #6b5300; --hit-now: #8a3f00;
  --comment: #b3bcc6; --keyword: #e3a8ff; --string: #8fe3ab; --number: #f2c879; --title: #9cc9ff; --type: #86dbe6;`;

/** The style of an exported page. Colours are variables, a set for each scheme. */
export const pageStyle = `
:root { color-scheme: light dark;${light} }
@media (prefers-color-scheme: dark) { :root {${dark} } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 0 1rem 4rem; background: var(--ground); color: var(--text);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
header { padding: 1rem 0 .5rem; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: 0; }
.answer :is(h1, h2, h3, h4, h5, h6) { line-height: 1.35; margin: 1.2em 0 .4em; }
h2 { font-size: 1.2rem; } h3 { font-size: 1.1rem; } h4, h5, h6 { font-size: 1rem; }
.facts { margin: .25rem 0 0; color: var(--dim); font-size: .85rem; }
a { color: var(--link); }
pre, code { font: 13.5px/1.5 ui-monospace, Menlo, Consolas, monospace; }
pre { margin: .5rem 0; padding: .6rem .75rem; overflow-x: auto; border-radius: .4rem; background: var(--code); }
:not(pre) > code { padding: .1em .3em; border-radius: .25rem; background: var(--code); }
blockquote { margin: .75rem 0; padding-left: .9rem; border-left: .2rem solid var(--line); color: var(--dim); }
img, svg { max-width: 100%; height: auto; }
img { border-radius: .4rem; }
svg text { font: 12px ui-monospace, monospace; fill: currentColor; }
table { display: block; overflow-x: auto; border-collapse: collapse; }
th, td { padding: .2rem .6rem; border-bottom: 1px solid var(--line); text-align: left; }
li.task { list-style: none; margin-left: -1.2em; }
sup { font-size: .75em; line-height: 0; }
.formula { font-family: ui-serif, Georgia, serif; font-style: italic; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
form { position: sticky; top: 0; z-index: 1; display: flex; gap: .5rem; align-items: center; padding: .5rem 0;
  background: var(--ground); border-bottom: 1px solid var(--line); }
form[hidden] { display: none; }
input { flex: 1; min-width: 0; max-width: 24rem; }
input, button { font: inherit; font-size: .9rem; padding: .3rem .6rem; border: 1px solid var(--dim); border-radius: .4rem;
  background: var(--ground); color: var(--text); }
output { flex: none; color: var(--dim); font-size: .85rem; min-width: 5rem; }
button { margin-left: auto; white-space: nowrap; cursor: pointer; }
:focus-visible { outline: 2px solid var(--mark); outline-offset: 1px; }
::highlight(hits) { background-color: var(--hit); color: var(--text); }
::highlight(hit) { background-color: var(--hit-now); color: var(--text); }
.user { margin: 2rem 0 1rem; padding: .6rem .9rem; border-left: .25rem solid var(--mark); border-radius: 0 .4rem .4rem 0;
  background: var(--said); scroll-margin-top: 4rem; }
.said { white-space: pre-wrap; }
.who { color: var(--dim); font-size: .8rem; }
.user .who a { color: inherit; }
.answer { margin: 1rem 0; }
.end { margin: 1rem 0; color: var(--failed); }
details { margin: .35rem 0; border-left: .2rem solid var(--line); padding-left: .75rem; }
summary { display: flex; gap: .6rem; align-items: baseline; cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "▸"; color: var(--dim); }
[open] > summary::before { content: "▾"; }
summary b { font: 600 13.5px/1.5 ui-monospace, monospace; white-space: nowrap; }
summary code { flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; padding: 0; background: none; }
[open] > summary code { white-space: pre-wrap; overflow-wrap: anywhere; }
summary .who { white-space: nowrap; }
.failed { color: var(--failed); }
.thought { color: var(--dim); white-space: pre-wrap; font-size: .9rem; }
figure { margin: .75rem 0; overflow-x: auto; }
figcaption { font-size: .85rem; color: var(--dim); white-space: pre-wrap; }
.change { padding: .4rem 0; }
.change code { display: block; width: max-content; min-width: 100%; }
.change span.row { display: block; padding: 0 .75rem; min-height: 1.5em; }
.change i { display: inline-block; min-width: 4ch; margin-right: 1ch; text-align: right; font-style: normal; color: var(--dim);
  user-select: none; }
.added { background: var(--added); } .removed { background: var(--removed); }
.added i, .size .plus { color: var(--plus); } .removed i, .size .minus { color: var(--minus); }
.added mark { background: var(--added-word); color: inherit; } .removed mark { background: var(--removed-word); color: inherit; }
.code-comment { color: var(--comment); } .code-keyword { color: var(--keyword); } .code-string { color: var(--string); }
.code-number { color: var(--number); } .code-title { color: var(--title); } .code-type { color: var(--type); }
.code-deletion { color: var(--minus); }
@media (max-width: 40rem) {
  body { font-size: 15px; padding: 0 .75rem 3rem; }
  pre, code { font-size: 12.5px; }
  output { min-width: 0; }
  details { padding-left: .5rem; }
}
@media print { form { display: none; } body { max-width: none; } pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  .change code { width: auto; } }`;

/**
 * The only script of an exported page: its search, and folding. It reads the page's text and sends nothing anywhere; without it
 * only the bar above the session is missing.
 */
export const pageScript = `"use strict";
const form = document.querySelector("form");
const [field, count, button] = form.elements;
const main = document.querySelector("main");
const folds = [...main.querySelectorAll("details")];
const mostHits = 1000;
const lower = (text) => {
  const folded = text.toLowerCase();
  // Of a few letters the small one is longer, and all places after it would be wrong.
  return folded.length === text.length ? folded : text;
};

let index;
/** The page's text, a line for each block, and where each text node begins in it. */
const readPage = () => {
  const nodes = [];
  let text = "";
  let last;
  for (const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT); walker.nextNode(); ) {
    const node = walker.currentNode;
    const block = node.parentElement.closest("p,li,pre,th,td,summary,h1,h2,h3,h4,h5,h6,div,figcaption,text,.row");
    if (block !== last) text += "\\n";
    last = block;
    nodes.push({ node, start: text.length });
    text += lower(node.data);
  }
  return { nodes, text };
};

let hits = [];
let at = -1;
let opened = [];
const placeOf = (offset, isEnd) => {
  let [low, high] = [0, index.nodes.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    const { start } = index.nodes[middle];
    if (isEnd ? start < offset : start <= offset) low = middle;
    else high = middle - 1;
  }
  return [index.nodes[low].node, offset - index.nodes[low].start];
};
const rangeOf = (start, length) => {
  const range = new Range();
  range.setStart(...placeOf(start, false));
  range.setEnd(...placeOf(start + length, true));
  return range;
};
const mark = (name, ranges) => {
  // Browsers without it still jump.
  if (self.Highlight) CSS.highlights.set(name, new Highlight(...ranges));
};

const show = () => {
  const hit = hits[at];
  for (const fold of opened) fold.open = false;
  opened = [];
  for (let one = hit?.startContainer.parentElement; one; one = one.parentElement) {
    if (one.localName === "details" && !one.open) {
      one.open = true;
      opened.push(one);
    }
  }
  hit?.startContainer.parentElement.scrollIntoView({ block: "center" });
  mark("hit", hit ? [hit] : []);
  const all = hits.length === mostHits ? "the first " + mostHits : hits.length;
  count.textContent = field.value === "" ? "" : hit ? at + 1 + " of " + all : "no match";
};
const search = () => {
  const words = lower(field.value);
  index ??= readPage();
  hits = [];
  for (let from = 0; words !== "" && hits.length < mostHits; ) {
    const found = index.text.indexOf(words, from);
    if (found < 0) break;
    hits.push(rangeOf(found, words.length));
    from = found + words.length;
  }
  at = hits.length > 0 ? 0 : -1;
  mark("hits", hits);
  show();
};
const step = (by) => {
  if (hits.length > 0) at = (at + by + hits.length) % hits.length;
  show();
};

field.addEventListener("input", search);
form.addEventListener("submit", (event) => event.preventDefault());
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
  if (event.key === "Escape") {
    field.value = "";
    search();
    field.blur();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target === field || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  field.select();
});
const foldAll = (isOpen) => {
  opened = [];
  for (const fold of folds) fold.open = isOpen;
  button.textContent = isOpen ? "Fold all" : "Unfold all";
};
button.addEventListener("click", () => foldAll(button.textContent === "Unfold all"));
addEventListener("beforeprint", () => foldAll(true));
form.hidden = false;`;
