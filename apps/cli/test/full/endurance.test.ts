// @module-tag sampled
import { join } from "node:path";
import { tempDir } from "@ikigai/testing";
import { expect, test } from "vitest";
import { keys, openFull } from "./open-full.ts";

/** The footer, which must appear once. */
const footer = /^ask · /gm;

test("an answer of 5,000 lines is in the scrollback, each line once", async () => {
  const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index} of many`);
  const { terminal } = await openFull([{ text: `${lines.join("\n")}\n\nThe end.`, pieceLength: 500 }]);
  terminal.type("count\r");
  await terminal.waitFor(/line 0 [\s\S]*The end\.\n\n(?:worked .*\n\n)?─/);
  const screen = terminal.screen();
  expect(screen.match(/(?<=^[◆ ] )line \d+ of many$/gm)).toEqual(lines);
  expect(screen.match(footer)).toHaveLength(1);
});

test("a code block of 1,000 lines is in the scrollback, with its colours", async () => {
  const lines = Array.from({ length: 1_000 }, (_, index) => `const a${index} = "b"; /* c */`);
  const { terminal } = await openFull([{ text: `\`\`\`js\n${lines.join("\n")}\n\`\`\`\nThe end.`, pieceLength: 500 }]);
  terminal.type("count\r");
  await terminal.waitFor(/const a0 [\s\S]*The end\.\n\n(?:worked .*\n\n)?─/);
  expect(terminal.screen().match(/(?<=^[◆ ] {3})const a\d+ = "b"; \/\* c \*\/$/gm)).toEqual(lines);
  expect(terminal.raw()).toContain('\u001b[35mconst\u001b[39m a999 = \u001b[32m"b"');
});

test("shows each of 80 calls in one session once", { tags: ["slow"], timeout: 60_000 }, async () => {
  const numbers = Array.from({ length: 10 }, (_, step) => Array.from({ length: 8 }, (_, call) => 8 * step + call));
  const steps = numbers.map((step) => ({
    calls: step.map((number) => ({ name: "bash", arguments: { command: `echo call ${number}` } })),
  }));
  const { terminal } = await openFull([...steps, { text: "All done." }], { args: ["--allow", "bash"] });
  terminal.type("work\r");
  await terminal.waitFor("All done.", 50_000);
  const screen = terminal.screen();
  expect(screen.match(/^● bash {2}echo call \d+$/gm)).toEqual(
    numbers.flat().map((number) => `● bash  echo call ${number}`),
  );
  expect(screen.match(/^ {2}call \d+$/gm)).toHaveLength(80);
});

/**
 * Delays the signal of a changed window size, as on a busy machine. The system's signal has a number; the event by which ikigai
 * makes Node read the size does not. Node's way of reading it is private; without it these tests fail: https://github.com/nodejs/node/blob/v24.x/lib/tty.js
 */
const lateSignal = `if (process.stdout.isTTY) process.removeAllListeners("SIGWINCH");
const look = () => process.stdout._refreshSize();
process.on("SIGWINCH", (_, number) => (number === undefined ? look() : setTimeout(look, 700)));`;

// On a busy machine a frame drawn for one size may reach a terminal that has another one by then, which cannot be prevented.
const canMissTheSize = { retry: 3 };

test("loses no words of a streaming answer when the window shrinks unnoticed", {
  tags: ["slow"],
  ...canMissTheSize,
}, async () => {
  const cwd = await tempDir({ "late.cjs": lateSignal });
  const words = Array.from({ length: 60 }, (_, index) => `word${index}`);
  const text = [`${"and more ".repeat(10)}END.`, ...words].join("\n\n");
  const { terminal } = await openFull([{ text, pieceMs: 20 }], {
    rows: 20,
    env: { NODE_OPTIONS: `--require=${join(cwd, "late.cjs")}` },
  });
  terminal.type("go\r");
  await terminal.waitFor("word2");
  terminal.resize(50, 20);
  await terminal.waitFor("word59");
  const shown = terminal.screen().replace(/\s+/g, " ");
  expect(shown).toContain(text.replace(/\s+/g, " "));
  // The lines above and below the editor.
  expect(terminal.screen().match(/^─+$/gm)).toEqual(["─".repeat(50), "─".repeat(50)]);
});

test("cuts no line of a streaming answer that comes as the window becomes narrower", {
  tags: ["slow"],
  ...canMissTheSize,
}, async () => {
  const paragraphs = Array.from({ length: 30 }, (_, index) => `word${index}${" and more".repeat(4)} END${index}.`);
  const { terminal } = await openFull([{ text: paragraphs.join("\n\n"), pieceLength: 12, pieceMs: 8 }], { rows: 24 });
  terminal.type("go\r");
  await terminal.waitFor("word9 ");
  // Each comes while the frame before is not drawn yet.
  for (const columns of [60, 50, 40]) {
    terminal.resize(columns, 24);
    await new Promise((settle) => setTimeout(settle, 50));
  }
  await terminal.waitFor(/END29\.\n\n(?:worked .*\n\n)?─/);
  const shown = terminal.screen().replace(/\s+/g, " ");
  expect(paragraphs.filter((paragraph) => !shown.includes(paragraph))).toEqual([]);
});

test("many size changes while an answer streams lose nothing and leave one prompt", canMissTheSize, async () => {
  const words = Array.from({ length: 200 }, (_, index) => `word${index}`);
  const paragraphs = words.map((word) => `${word} ${"and more ".repeat(8).trim()}.`);
  const { terminal } = await openFull([{ text: paragraphs.join("\n\n"), pieceLength: 40, pieceMs: 4 }]);
  terminal.type("go\r");
  await terminal.waitFor("word3 ");
  for (let round = 0; round < 60; round++) {
    terminal.resize(10 + ((round * 37) % 110), 3 + ((round * 13) % 50));
    await new Promise((settle) => setTimeout(settle, 10));
  }
  terminal.resize(100, 40);
  await terminal.waitFor(/word199 [^\n]*\n\n(?:worked .*\n\n)?─/);
  terminal.type("still here");
  await terminal.waitFor("› still here");
  const visible = terminal.screen().split("\n").slice(-40).join("\n");
  expect(visible.match(footer)).toHaveLength(1);
  const seen: readonly string[] = terminal.screen().match(/word\d+/g) ?? [];
  expect(words.filter((word) => !seen.includes(word))).toEqual([]);
});

test("loses no keys typed while the window changes its size", async () => {
  const { terminal } = await openFull([{ text: "Fine." }]);
  const letters = "abcdefghijklmnopqrstuvwxyz";
  for (const [index, letter] of [...letters].entries()) {
    terminal.type(letter);
    terminal.resize(100 - (index % 3), 40 - (index % 5));
    terminal.type("-");
    await new Promise((settle) => setTimeout(settle, 5 * (index % 20)));
  }
  await terminal.waitFor(`› ${[...letters].join("-")}-\n`);
});

test("works in a 1 × 1 window, and recovers when it grows", async () => {
  const { terminal, model } = await openFull([{ text: "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nFine." }]);
  terminal.resize(1, 1);
  await new Promise((settle) => setTimeout(settle, 200));
  terminal.type("go\r");
  await expect.poll(() => model.requests.length).toBe(1);
  await new Promise((settle) => setTimeout(settle, 500));
  terminal.resize(100, 40);
  terminal.type("back");
  await terminal.waitFor(/─\n› back\n─+\nask · /);
});

test("works with 10,000 columns", async () => {
  const { terminal } = await openFull([{ text: "Fine." }], { rows: 10 });
  terminal.resize(10_000, 10);
  await new Promise((settle) => setTimeout(settle, 200));
  terminal.type("go\r");
  await terminal.waitFor("Fine.");
});

test("a paste of 10 MB is truncated, folded and discarded", { tags: ["slow"] }, async () => {
  const { terminal } = await openFull([{ text: "Fine." }]);
  terminal.type(`\u001b[200~${"some words\r".repeat(1_000_000)}\u001b[201~`);
  await terminal.waitFor(/› \[Pasted \d+ lines\]/, 30_000);
  terminal.type(keys.ctrlC);
  await terminal.waitFor(/─\n›\n─/);
  terminal.type("go\r");
  await terminal.waitFor("Fine.");
});

test.each([
  ["wide characters", "漢字かな交じり文を書く"],
  ["combining characters", "e\u0301a\u0308o\u0323\u0302 n\u0303"],
  ["emoji", "👍 🎉 ✅ 1️⃣"],
  ["right-to-left text", "שלום עולם مرحبا بالعالم"],
])("shows %s unchanged in the editor and in an answer", async (_, text) => {
  const { terminal } = await openFull([{ text: `${text} ${text}\n\n- ${text}\n\nThe end.` }]);
  terminal.type(`${text} x`);
  await terminal.waitFor(`› ${text} x\n─`);
  terminal.type("\u007f\u007f\r");
  await terminal.waitFor("The end.");
  expect(terminal.screen()).toContain(`› ${text}\n\n◆ ${text} ${text}\n\n  - ${text}\n\n  The end.\n\n`);
});
