// Promise 3 of SECURITY.md.
// @module-tag sampled
import { expect, inject, test } from "vitest";
import { htmlToMarkdown } from "../src/index.ts";

const repeated = (piece: string) => (length: number) => piece.repeat(Math.ceil(length / piece.length));

/** Pages of a given size that take quadratic time, too much memory or a stack overflow where converters are careless. */
const pages: Readonly<Record<string, (length: number) => string>> = {
  "nested blocks": repeated("<div>"),
  "nested lists": repeated("<ul><li>x"),
  "nested quotations": repeated("<blockquote>x"),
  "nested tables": repeated("<table><tr><td>"),
  "nested emphasis": repeated("<b><i>x"),
  "end tags without start tags": (length) => "<b>".repeat(length / 6) + "</i>".repeat(length / 8),
  "end tags beyond a table cell": (length) => `<i><table><td>${"<div>".repeat(250)}${"</i>".repeat(length / 4)}`,
  "end tags in the wrong order": repeated("<b><i>x</b>y</i>"),
  "end tags in the wrong order, many levels deep": repeated(
    `${"<i>".repeat(120)}${"<b>".repeat(120)}x${"</i>".repeat(120)}${"</b>".repeat(120)}`,
  ),
  "less-than signs": repeated("<"),
  ampersands: repeated("&"),
  "unknown entities": repeated("&a"),
  attributes: (length) => `<p ${Array.from({ length: length / 8 }, (_, index) => `a${index}`).join(" ")}>x`,
  "one attribute again and again": (length) => `<p ${"a=1 ".repeat(length / 4)}>x`,
  "a table": (length) => `<table>${`<tr>${"<td>x".repeat(100)}`.repeat(length / 504)}`,
  "cells over many rows": (length) => `<table><tr>${"<td rowspan=65534>x".repeat(40)}${"<tr><td>y".repeat(length / 9)}`,
  "cells over many columns": (length) => `<table>${"<tr><td colspan=1000>x<td>y".repeat(length / 27)}`,
  links: (length) => Array.from({ length: length / 20 }, (_, index) => `<a href=/x${index}>y</a>`).join(""),
  "links to the same page": repeated("<a href=#x>¶</a>"),
  "emphasis that is left out": repeated("<b>x.</b>y"),
  backticks: (length) => `<pre>${"` ".repeat(length / 2)}</pre><code>${"`".repeat(length / 4)}</code>`,
  asterisks: repeated("*"),
  brackets: repeated("[]("),
  "line breaks": repeated("x<br>"),
  "white space": (length) => `<p>${"  \n".repeat(length / 3)}x<pre>${"\n ".repeat(length / 4)}x`,
  "a heading of number signs": (length) => `<h1>${"# ".repeat(length / 2)}`,
  "an endless title": (length) => `<title>${"a&amp;".repeat(length / 6)}`,
  comments: repeated("<!--"),
};

/** The least processor time of several runs, in milliseconds: other processes can only make it longer. */
function processorMs(html: string, times: number): number {
  const durations = Array.from({ length: times }, () => {
    const before = process.cpuUsage();
    htmlToMarkdown(html, "https://h.example/page");
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...durations);
}

test.each(Object.entries(pages))("takes time in proportion to the size: %s", (_, pageOf) => {
  const size = inject("isThorough") ? 50_000 : 15_000;
  const small = processorMs(pageOf(size), 5);
  const large = processorMs(pageOf(16 * size), 2);
  // Sixteen times the size. Quadratic time would be 256 times as long; garbage collection and small caches cost up to four times.
  expect(large / Math.max(small, 2)).toBeLessThan(100);
});

test.each(Object.entries(pages))("writes at most a multiple of the size: %s", (_, pageOf) => {
  const html = pageOf(inject("isThorough") ? 400_000 : 100_000);
  expect(htmlToMarkdown(html, "https://h.example/page").markdown.length).toBeLessThan(9 * html.length + 100_000);
});

test("stops writing when a page would become many times as large", () => {
  const html = `${"<ol start=999999999><li>".repeat(10)}<pre>${"x\n".repeat(20_000)}`;
  const { markdown } = htmlToMarkdown(html, "https://h.example/");
  expect(markdown.length).toBeGreaterThan(7 * html.length);
  expect(markdown.length).toBeLessThan(8 * html.length + 66_000);
  const small = `${"<ol start=999999999><li>".repeat(10)}<pre>${"x\n".repeat(500)}y`;
  expect(htmlToMarkdown(small, "https://h.example/").markdown).toMatch(/ y\n *```$/);
});

test("indents at most ten levels", () => {
  const { markdown } = htmlToMarkdown("<blockquote>x".repeat(12), "https://h.example/");
  expect(
    markdown
      .split("\n")
      .map((line) => line.replace(/[^>]/g, "").length)
      .at(-1),
  ).toBe(10);
});

test("reads elements nested deeper than 256 levels as siblings, and keeps hidden text hidden there", () => {
  const deep = (depth: number) => `${"<div>".repeat(depth)}<div hidden>secret<p>secret</p></div>`;
  for (const depth of [10, 254, 255, 256, 257, 1000])
    expect(htmlToMarkdown(`${deep(depth)}seen`, "https://h.example/").markdown).toBe("seen");
  const nested = (depth: number) => `${"<div>".repeat(depth)}<div hidden><div>a</div><p>b<p>c</p>secret</div>seen`;
  for (const depth of [10, 253, 254, 255, 256, 257, 1000])
    expect(htmlToMarkdown(nested(depth), "https://h.example/").markdown).toBe("seen");
});

/** Pages on which each link is long because the page's address is. */
const longBase = `https://h.example/${"x".repeat(1_900)}/`;
const linked: Readonly<Record<string, (index: number) => string>> = {
  "links in one paragraph": (index) => `<a href=${index}>y</a>`,
  "one link again and again": () => "<a href=1>y</a>",
  "images in one paragraph": (index) => `<img alt=y src=${index}>`,
  "a link around table cells": (index) => (index === 0 ? "<table><tr><td>1<td>2<tr><a href=1><td>x" : "<td>y"),
  "a link that other elements split": (index) => `<b><a href=${index}>y</b>z</a>`,
  "lines of code in nested lists": (index) => (index === 0 ? `${"<ol start=999999999><li>".repeat(10)}<pre>` : "a\n"),
};

test.each(Object.entries(linked))("writes at most eight times the size: %s", (_, pieceOf) => {
  const html = Array.from({ length: 20_000 }, (__, index) => pieceOf(index)).join("");
  const { markdown } = htmlToMarkdown(html, longBase);
  expect(markdown.length).toBeLessThan(8 * html.length + 66_000);
  expect(htmlToMarkdown(html.slice(0, 2_000), longBase).markdown.length).toBeGreaterThan(20_000);
});

test("keeps the text of links that are not written", () => {
  const { markdown } = htmlToMarkdown("<a href=1>y</a>".repeat(20_000), longBase);
  expect(markdown.match(/y/g)).toHaveLength(20_000);
  expect(markdown.match(/\]\(/g)?.length).toBe(Math.floor((8 * 15 * 20_000 + 65_536) / 2 / (longBase.length + 1)));
});
