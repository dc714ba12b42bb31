import { themeFor } from "@ikigai/screen";
import { expect, test } from "vitest";
import type { ShownLine } from "../src/render/call/file-change.ts";
import { highlight, type ToHtml } from "../src/tui/components/highlight.ts";
import { changePainter } from "../src/tui/components/paint-change.ts";

const theme = themeFor("dark");

/** A language in which everything after an `@` is a keyword; it notes the lengths of what it reads. */
function language() {
  const lengths: number[] = [];
  const toHtml: ToHtml = (code) => {
    lengths.push(code.length);
    const at = code.includes("@") ? code.indexOf("@") : code.length;
    return `${code.slice(0, at)}<span class="hljs-keyword">${code.slice(at)}</span>`;
  };
  return { toHtml, lengths };
}

const hasColours = (text: string) => text.includes("\u001b[");

test("code of 100,000 characters has colours, longer code has none", () => {
  const { toHtml } = language();
  const code = Array(1_000)
    .fill(`@${"x".repeat(98)}`)
    .join("\n");
  expect(highlight(toHtml, `${code}x`, "x", theme).every(hasColours)).toBe(true);
  expect(highlight(toHtml, `${code}xx`, "x", theme).some(hasColours)).toBe(false);
});

test("a line of 4,000 characters has colours, a longer one has none", () => {
  const { toHtml } = language();
  const line = `@${"x".repeat(3_999)}`;
  const drawn = highlight(toHtml, `@\n${line}\n${line}x\n@`, "x", theme);
  expect(drawn.map(hasColours)).toEqual([true, true, false, true]);
});

test("no more than 4,000 characters are read at once, half of which may be lines before", () => {
  const { toHtml, lengths } = language();
  const line = "x".repeat(99);
  const before = ["@", ...Array(18).fill(line)];
  expect(highlight(toHtml, Array(100).fill(line).join("\n"), "x", theme, before)).toHaveLength(100);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(4_000);
  expect(lengths.length).toBeLessThanOrEqual(6);
  const [first] = highlight(toHtml, line, "x", theme, before);
  expect(first).toBe(theme.style.magenta(line));
});

test.each(["+", "-"] as const)("each side of a change has colours in its first 2,000 characters (%s)", (sign) => {
  const { toHtml } = language();
  // A line counts with its end.
  const lines: ShownLine[] = [1_000, 998, 1].map((length) => ({ sign, text: "@".repeat(length) }));
  const looks = changePainter(theme, toHtml)(lines, "a.x");
  const drawn = lines.map(({ text }, index) => looks[index]?.look?.(text, 0) ?? text);
  expect(drawn.map(hasColours)).toEqual([true, true, false]);
});
