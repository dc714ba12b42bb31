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
