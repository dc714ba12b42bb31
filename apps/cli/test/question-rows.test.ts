// Promise 5 of SECURITY.md.

import type { Places } from "@ikigai/agent/internal";
import type { Question } from "@ikigai/permission";
import { asciiSigns, plainStyle, plainWidth, type Signs, sanitiseStrictly, unicodeSigns } from "@ikigai/screen";
import fc from "fast-check";
import { expect, inject, test } from "vitest";
import type { LineOutput } from "../src/render/line-output.ts";
import { renderQuestion } from "../src/render/question/render-question.ts";
import { evil } from "./evil-texts.ts";

/** Number of random commands; more in a thorough run. */
const numRuns = inject("isThorough") ? 3_000 : 300;

const places = { projectDir: "/nowhere", home: "/nowhere/.ikigai" } as Places;

/** A question as a terminal without colors shows it. */
function rowsOf(name: string, args: object, { columns, signs }: { columns: number; signs: Signs }): string[] {
  const tool = { name, scope: "system", path: "/bin/x" } as Question["tool"];
  const call = { id: "1", name, arguments: JSON.stringify(args) };
  const screen = { style: plainStyle, signs, columns } as LineOutput;
  return renderQuestion({ call, tool, reason: "", rule: "x" }, places, screen);
}

/** Reads the lines back from the margin alone. */
function readBack(rows: readonly string[], signs: Signs, indent: number): string[] {
  const lines: string[] = [];
  for (const row of rows) {
    const text = row.slice(indent);
    if (row.startsWith(`  ${signs.wrapped}`)) lines.push((lines.pop() ?? "") + text);
    else lines.push(text);
  }
  return lines;
}

const piece = fc.oneof(
  fc.constantFrom(" ", "  ", "    ", "\n", "\n    ", "\t", "touch x", "# a comment", "日本語", "👩‍👩‍👧", "é", "↪️"),
  fc.constantFrom("  ↳ ", "  \\ ", "    2  touch y", "● bash  ", "…", "\u202e", "\r", "\u001b[2K"),
  fc.string({ maxLength: 30 }),
  fc.constant(evil),
);
const text = fc.array(piece, { minLength: 1, maxLength: 30 }).map((pieces) => pieces.join(""));
const look = fc.record({
  columns: fc.integer({ min: 20, max: 130 }),
  signs: fc.constantFrom(unicodeSigns, asciiSigns),
});

test("in a question, every line of a command begins at its number, and nowhere else", () => {
  fc.assert(
    fc.property(text, look, (command, terminal) => {
      const rows = rowsOf("bash", { command }, terminal);
      const wanted = sanitiseStrictly(command).replaceAll("\t", "    ").split("\n");
      for (const row of rows) expect(plainWidth(row)).toBeLessThan(terminal.columns);
      if (wanted.length === 1) {
        expect(readBack(rows, terminal.signs, plainWidth(`${terminal.signs.call} bash  `))).toEqual(wanted);
        return;
      }
      const indent = 4 + String(wanted.length).length + 2;
      const shown = rows.slice(1);
      expect(readBack(shown, terminal.signs, indent)).toEqual(wanted);
      const numbers = shown
        .filter((row) => !row.startsWith(`  ${terminal.signs.wrapped}`))
        .map((row) => row.slice(0, indent));
      expect(numbers.map(Number)).toEqual(wanted.map((_, index) => index + 1));
    }),
    { numRuns },
  );
});

test("in a question, every line of a file begins at its number and sign", () => {
  fc.assert(
    fc.property(text, look, (content, terminal) => {
      fc.pre(content !== "");
      const all = rowsOf("file_write", { file_path: "x", content }, terminal);
      const rows = all.slice(all.findIndex((row) => /^ {4} *1 \+/.test(row)));
      const wanted = content.replace(/\n$/, "").split("\n");
      const indent = 4 + String(wanted.length).length + 3;
      const lines = rows.filter((row) => /^ {4} *\d+ \+/.test(row));
      expect(lines).toHaveLength(wanted.length);
      const shown = readBack(rows, terminal.signs, indent).slice(0, wanted.length);
      expect(shown).toEqual(wanted.map((line) => sanitiseStrictly(line).replaceAll("\t", "    ")));
    }),
    { numRuns },
  );
});

test("a command that looks like the end of a comment does not", () => {
  const comment = "git log --oneline -5 # the last five commits, to see what has changed; this only reads and then";
  const rows = rowsOf("bash", { command: `${comment}\n    touch PWNED` }, { columns: 100, signs: unicodeSigns });
  expect(rows).toEqual([
    "● bash",
    "    1  git log --oneline -5 # the last five commits, to see what has changed; this only reads and ",
    "  ↳    then",
    "    2      touch PWNED",
  ]);
});

test.each(["\u{1e4ec}", "\u1ab0", "\u0301", "\ufe19", "\u2329", "\u302e", "\u{16ff0}", "д", "█"])(
  "characters that some terminals make wider than others hide no end: %j",
  (mark) => {
    const rows = rowsOf("bash", { command: `echo a${mark.repeat(66)}; touch x` }, { columns: 80, signs: unicodeSigns });
    for (const row of rows) {
      const columns = [...row].reduce((sum, character) => sum + (character === mark ? 2 : 1), 0);
      expect(columns).toBeLessThan(80);
    }
    expect(rows.join("\n")).toContain("touch x");
  },
);
