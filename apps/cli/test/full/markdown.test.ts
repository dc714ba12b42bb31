// @module-tag sampled
import { themeFor } from "@ikigai/screen";
import { renderMarkdown } from "@ikigai/screen/markdown";
import { expect, test } from "vitest";
import { some } from "../ikigai.ts";
import { openFull } from "./open-full.ts";

function plain(text: string, columns = 60): string[] {
  const lines = renderMarkdown(text, columns, themeFor(undefined), (code) => code.split("\n"));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
  return lines.map((line) => line.replace(/\u001b\[[\d;]*m/g, "").trimEnd());
}

test.each([
  ["R&amp;D &lt;b&gt; &#39;q&#39; &hellip; &#x2713;", "R&D <b> 'q' … ✓"],
  ["&#42;not bold&#42; and &amp;lt;", "*not bold* and &lt;"],
  ["`&amp;` and ``a ` &lt;``", "&amp; and a ` &lt;"],
  ["&#27;[2J &#x202e; &#0; &nosuch; &", "&#27;[2J &#x202e; &#0; &nosuch; &"],
  ["As shown[^1] and[^note].", "As shown[1] and[note]."],
  ["[^1]: word", "[1] word"],
  ["`a[^1]`", "a[^1]"],
  ["###### deep &amp; small", "deep & small"],
])("renders %j", (text, expected) => {
  expect(plain(text)).toEqual([expected]);
});

test("aligns the columns of a table, also with wide letters and wrapped cells", () => {
  const text = "| l | r | c |\n|:--|--:|:-:|\n| one | 1 | x |\n| **日本** | 12345 | yyy |";
  expect(plain(text)).toEqual([
    "┌──────┬───────┬─────┐",
    "│ l    │     r │  c  │",
    "├──────┼───────┼─────┤",
    "│ one  │     1 │  x  │",
    "├──────┼───────┼─────┤",
    "│ 日本 │ 12345 │ yyy │",
    "└──────┴───────┴─────┘",
  ]);
  const narrow = plain(`| a | n |\n|---|--:|\n| ${"many words ".repeat(5)} | 7 |`, 24);
  expect(new Set(narrow.map((line) => line.length)).size).toBe(1);
  expect(narrow.find((line) => line.includes("7"))).toMatch(/ 7 │$/);
});

test("all cells of a table's head are bold, and its borders are not", () => {
  const head = (columns: string) => {
    const text = `| Name | Count | \`Ratio\` |\n${columns}\n| a | 12345678 | **b** |`;
    return renderMarkdown(text, 60, themeFor(undefined), (code) => code.split("\n"));
  };
  for (const columns of ["|---|---|---|", "|:--|--:|:-:|"]) {
    for (const row of head(columns).filter((line) => line.startsWith("│"))) {
      expect(boldIn(row)).toEqual(row.includes("Name") ? ["Name", "Count", "Ratio"] : ["b"]);
    }
  }
});

/** The bold parts of a line, without spaces around them. */
function boldIn(line: string): string[] {
  const parts: string[] = [];
  let isBold = false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences for styles
  for (const piece of line.split(/(\u001b\[[\d;]*m)/)) {
    if (piece === "\u001b[1m") isBold = true;
    else if (piece === "\u001b[22m" || piece === "\u001b[0m") isBold = false;
    else if (isBold && !piece.startsWith("\u001b") && piece.trim() !== "") parts.push(piece.trim());
  }
  return parts;
}

test("lists of tasks keep their marks, and a rule is as wide as what is around it", () => {
  expect(plain("- [x] done\n- [ ] open")).toEqual(["- [x] done", "- [ ] open"]);
  expect(plain("a\n\n---\n\nb", 120)[2]).toBe("─".repeat(120));
  expect(plain("> a\n>\n> ---\n>\n> b", 40).filter((line) => line.includes("──"))).toEqual([`│ ${"─".repeat(38)}`]);
});

test.each(
  some(2, [
    { columns: 120, rows: 40 },
    { columns: 80, rows: 24 },
    { columns: 40, rows: 15 },
  ]),
)("shows an answer at $columns x $rows", async (size) => {
  const text = "### Sum &amp; more\n\n| n | s |\n|--:|---|\n| 1 | a |\n| 22 | b |\n\n---\n\nEnd[^1].\n\n[^1]: note";
  const { terminal } = await openFull([{ text }], { ...size, env: size.columns === 80 ? { NO_COLOR: "1" } : {} });
  terminal.type("go\r");
  const screen = await terminal.waitFor(/End\[1\]\.\n\n {2}\[1\] note/);
  expect(screen).toContain("\n◆ Sum & more\n");
  expect(screen).toContain("│  1 │ a │");
  expect(screen).toContain(`\n  ${"─".repeat(size.columns - 2)}\n\n  End`);
});
